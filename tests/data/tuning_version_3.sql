-- A tuning database as version 3 of the schema had it: the one of tuning_version_2.sql, migrated by bitune 0.1.
-- Made into a file by the migration tests; never change it.
PRAGMA application_id = 1114199157;
PRAGMA user_version = 3;

CREATE TABLE configurations (
  id INTEGER PRIMARY KEY,
  variant TEXT NOT NULL,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "configurations" VALUES(1,'warp','warp(block_size_x=256,items=8)');
INSERT INTO "configurations" VALUES(2,'warp','warp(block_size_x=512,items=8)');
INSERT INTO "configurations" VALUES(3,'shared','shared(tile=4096)');
INSERT INTO "configurations" VALUES(4,'global','global()');
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  warp_size INTEGER NOT NULL,
  max_threads_per_block INTEGER NOT NULL,
  max_threads_per_sm INTEGER NOT NULL,
  max_blocks_per_sm INTEGER NOT NULL,
  registers_per_block INTEGER NOT NULL,
  registers_per_sm INTEGER NOT NULL,
  shared_bytes_per_block INTEGER NOT NULL,
  shared_bytes_per_block_optin INTEGER NOT NULL,
  shared_bytes_per_sm INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  cooperative_launch INTEGER NOT NULL,
  max_cluster_size INTEGER NOT NULL
) STRICT;
INSERT INTO "devices" VALUES(1,'3bcc5ff7b422b9955f7d6d7d41f72367','cuda','NVIDIA H200',9,0,132,32,1024,2048,32,65536,65536,49152,232448,233472,62914560,150110011392,1,8);
INSERT INTO "devices" VALUES(2,'2fad4ab04d01486adbd6eb6d355e73d4','emulated','emulated device',0,0,4,32,1024,2048,32,65536,65536,49152,49152,65536,0,0,0,1);
CREATE TABLE kernels (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "kernels" VALUES(1,'kernels-a');
INSERT INTO "kernels" VALUES(2,'kernels-b');
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  operation TEXT NOT NULL,
  key_type TEXT NOT NULL,
  key_width INTEGER NOT NULL,
  value_type TEXT NOT NULL,
  key_order TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 0),
  rows INTEGER NOT NULL CHECK (rows >= 0),
  UNIQUE (operation, key_type, value_type, key_order, n, rows)
) STRICT;
INSERT INTO "problems" VALUES(1,'sort','u32',4,'none','ascending',1048576,1);
INSERT INTO "problems" VALUES(2,'sort','bf16',2,'none','descending',1000,16);
INSERT INTO "problems" VALUES(3,'sort','f64',8,'none','ascending',1024,1);
CREATE TABLE protocols (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "protocols" VALUES(1,'distribution=random seed=1 l2=warm samples=7..50 budget_ms=100');
INSERT INTO "protocols" VALUES(2,'distribution=random seed=1 l2=cold samples=7..50 budget_ms=100');
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES devices,
  problem_id INTEGER NOT NULL REFERENCES problems,
  protocol_id INTEGER NOT NULL REFERENCES protocols,
  kernel_id INTEGER NOT NULL REFERENCES kernels,
  variant TEXT NOT NULL,
  imported INTEGER NOT NULL CHECK (imported IN (0, 1)),
  trials INTEGER NOT NULL DEFAULT 0,
  ok INTEGER NOT NULL DEFAULT 0,
  UNIQUE (device_id, problem_id, protocol_id, kernel_id, variant, imported)
) STRICT;
INSERT INTO "series" VALUES(1,1,1,1,1,'warp',0,2,2);
INSERT INTO "series" VALUES(2,1,1,1,1,'shared',0,1,0);
INSERT INTO "series" VALUES(3,1,2,2,1,'warp',0,1,1);
INSERT INTO "series" VALUES(4,2,3,1,2,'global',0,2,1);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES devices,
  software_id INTEGER NOT NULL REFERENCES software,
  protocol_id INTEGER NOT NULL REFERENCES protocols,
  started TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;
INSERT INTO "sessions" VALUES(1,1,1,1,'2026-01-02 03:04:05.000','');
INSERT INTO "sessions" VALUES(2,1,1,2,'2026-01-03 03:04:05.000','');
INSERT INTO "sessions" VALUES(3,2,2,1,'2026-01-04 03:04:05.000','');
CREATE TABLE software (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  UNIQUE (uuid, driver, compiler)
) STRICT;
INSERT INTO "software" VALUES(1,'GPU-1','580.95 (CUDA 13.0)','nvrtc 13.0');
INSERT INTO "software" VALUES(2,'emulated','emulated','g++ 12.2.0');
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions,
  series_id INTEGER NOT NULL REFERENCES series,
  configuration_id INTEGER NOT NULL REFERENCES configurations,
  status TEXT NOT NULL,
  message TEXT NOT NULL,
  finalist INTEGER NOT NULL CHECK (finalist IN (0, 1)),
  median_us REAL,
  mad_us REAL,
  low_us REAL,
  high_us REAL,
  samples TEXT NOT NULL,
  clock_low_mhz INTEGER,
  clock_high_mhz INTEGER,
  throttled TEXT NOT NULL,
  remeasured INTEGER NOT NULL,
  compile_ms REAL NOT NULL,
  verify_ms REAL NOT NULL,
  measure_ms REAL NOT NULL,
  registers INTEGER NOT NULL,
  local_bytes INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  launches INTEGER NOT NULL,
  timestamp TEXT NOT NULL
) STRICT;
INSERT INTO "trials" VALUES(1,1,1,1,'ok','',0,20.0,9.75,10.25,30.5,'[30.5,10.25,20]',NULL,NULL,'',0,100.0,5.0,2.5,40,0,0,12,'2026-01-02 03:04:06.000');
INSERT INTO "trials" VALUES(2,1,1,2,'ok','',1,9.75,1.25,8.0,12.0,'[9,8,12,10.5]',NULL,NULL,'',0,100.0,5.0,2.5,48,0,0,11,'2026-01-02 03:04:07.000');
INSERT INTO "trials" VALUES(5,1,2,3,'spilled','32 bytes of local memory',0,NULL,NULL,NULL,NULL,'[]',NULL,NULL,'',0,100.0,0.0,0.0,255,32,16384,0,'2026-01-02 03:04:08.000');
INSERT INTO "trials" VALUES(6,2,3,1,'ok','',0,0.1,0.0,0.1,0.1,'[0.1]',NULL,NULL,'',0,0.0,5.0,2.5,40,0,0,1,'2026-01-03 03:04:06.000');
INSERT INTO "trials" VALUES(9,3,4,4,'wrong_result','key 3 is out of order',0,NULL,NULL,NULL,NULL,'[]',NULL,NULL,'',0,100.0,5.0,0.0,0,0,0,55,'2026-01-04 03:04:06.000');
INSERT INTO "trials" VALUES(10,3,4,4,'ok','',0,650.0,50.0,600.0,700.0,'[700,600]',NULL,NULL,'',0,100.0,5.0,900.0,0,0,0,55,'2026-01-04 03:04:07.000');
CREATE INDEX sessions_by_device ON sessions (device_id);
CREATE INDEX problems_by_width ON problems (operation, value_type, key_width);
CREATE INDEX series_by_problem ON series (problem_id);
CREATE INDEX trials_by_session ON trials (session_id);
CREATE INDEX trials_by_configuration ON trials (series_id, configuration_id, timestamp, finalist, status);
CREATE INDEX trials_by_rank ON trials (series_id, finalist DESC, median_us)
  WHERE status = 'ok' AND median_us IS NOT NULL;
CREATE VIEW best_of_variants AS 
WITH leaders AS (
  SELECT s.device_id, s.problem_id, s.protocol_id, s.variant, l.id AS trial_id, l.finalist, l.median_us, l.timestamp
  FROM problems p CROSS JOIN series s ON s.problem_id = p.id
  CROSS JOIN trials l ON l.id = (
    SELECT t.id FROM trials t
    WHERE t.series_id = s.id AND t.status = 'ok' AND t.median_us IS NOT NULL AND NOT EXISTS (SELECT 1 FROM trials later WHERE later.series_id = t.series_id AND later.configuration_id = t.configuration_id AND later.timestamp >= t.timestamp AND (later.timestamp, later.id) > (t.timestamp, t.id) AND (later.finalist = t.finalist OR later.status <> 'ok'))
    ORDER BY t.finalist DESC, t.median_us LIMIT 1)
  WHERE 1),
with_protocol AS (
  SELECT *, first_value(protocol_id) OVER (PARTITION BY device_id, problem_id
              ORDER BY finalist DESC, timestamp DESC, trial_id DESC) AS ranked_protocol_id
  FROM leaders),
with_place AS (
  SELECT *, row_number() OVER (PARTITION BY device_id, problem_id, variant
              ORDER BY finalist DESC, timestamp DESC, trial_id DESC) AS place
  FROM with_protocol WHERE protocol_id = ranked_protocol_id)
SELECT device_id, problem_id, variant, trial_id, finalist, median_us FROM with_place WHERE place = 1;
CREATE VIEW best AS
SELECT d.name AS device, d.digest AS device_digest, p.operation, p.key_type, p.value_type, p.key_order, p.n, p.rows,
       c.text AS configuration, b.median_us, b.finalist, b.trial_id
FROM (SELECT *, row_number() OVER (PARTITION BY device_id, problem_id ORDER BY finalist DESC, median_us, trial_id)
        AS place FROM best_of_variants) b
JOIN devices d ON d.id = b.device_id
JOIN problems p ON p.id = b.problem_id
JOIN trials t ON t.id = b.trial_id
JOIN configurations c ON c.id = t.configuration_id
WHERE b.place = 1;
CREATE TRIGGER trial_is_counted AFTER INSERT ON trials BEGIN
  UPDATE series SET trials = trials + 1, ok = ok + (new.status = 'ok') WHERE id = new.series_id;
END;
CREATE TRIGGER trial_is_no_longer_counted AFTER DELETE ON trials BEGIN
  UPDATE series SET trials = trials - 1, ok = ok - (old.status = 'ok') WHERE id = old.series_id;
END;
CREATE TRIGGER trial_is_counted_anew AFTER UPDATE OF series_id, status ON trials BEGIN
  UPDATE series SET trials = trials - 1, ok = ok - (old.status = 'ok') WHERE id = old.series_id;
  UPDATE series SET trials = trials + 1, ok = ok + (new.status = 'ok') WHERE id = new.series_id;
END;
