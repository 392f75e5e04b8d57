-- A tuning database as version 1 of the schema had it: everything about a trial in its row, and no medians.
-- Made into a file by the migration tests; never change it.
PRAGMA application_id = 1114199157;
PRAGMA user_version = 1;

CREATE TABLE devices (
  id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL,
  compute_major INTEGER NOT NULL, compute_minor INTEGER NOT NULL, sm_count INTEGER NOT NULL,
  warp_size INTEGER NOT NULL, max_threads_per_block INTEGER NOT NULL, max_threads_per_sm INTEGER NOT NULL,
  max_blocks_per_sm INTEGER NOT NULL, registers_per_block INTEGER NOT NULL, registers_per_sm INTEGER NOT NULL,
  shared_bytes_per_block INTEGER NOT NULL, shared_bytes_per_block_optin INTEGER NOT NULL,
  shared_bytes_per_sm INTEGER NOT NULL, l2_bytes INTEGER NOT NULL, memory_bytes INTEGER NOT NULL,
  cooperative_launch INTEGER NOT NULL, max_cluster_size INTEGER NOT NULL
);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL REFERENCES devices, uuid TEXT NOT NULL, driver TEXT NOT NULL,
  compiler TEXT NOT NULL, protocol TEXT NOT NULL, started TEXT NOT NULL
);
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, operation TEXT NOT NULL, key_type TEXT NOT NULL, value_type TEXT NOT NULL,
  key_order TEXT NOT NULL, n INTEGER NOT NULL, rows INTEGER NOT NULL,
  UNIQUE (operation, key_type, value_type, key_order, n, rows)
);
CREATE TABLE trials (
  id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL REFERENCES sessions,
  problem_id INTEGER NOT NULL REFERENCES problems, configuration TEXT NOT NULL, kernel_digest TEXT NOT NULL,
  status TEXT NOT NULL, message TEXT NOT NULL, samples TEXT NOT NULL, compile_ms REAL NOT NULL,
  verify_ms REAL NOT NULL, measure_ms REAL NOT NULL, registers INTEGER NOT NULL, local_bytes INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL, launches INTEGER NOT NULL, finalist INTEGER NOT NULL, timestamp TEXT NOT NULL
);
CREATE INDEX trials_by_problem ON trials (problem_id);
CREATE VIEW best AS
SELECT e.device_id, t.problem_id, t.configuration,
  min((SELECT value FROM json_each(t.samples) ORDER BY value
       LIMIT 1 OFFSET json_array_length(t.samples) / 2)) AS median_us
FROM trials t JOIN sessions e ON e.id = t.session_id WHERE t.status = 'ok' GROUP BY e.device_id, t.problem_id;

INSERT INTO devices VALUES
  (1, '3bcc5ff7b422b9955f7d6d7d41f72367', 'cuda', 'NVIDIA H200', 9, 0, 132, 32, 1024, 2048, 32, 65536, 65536,
   49152, 232448, 233472, 62914560, 150110011392, 1, 8),
  (2, '2fad4ab04d01486adbd6eb6d355e73d4', 'emulated', 'emulated device', 0, 0, 4, 32, 1024, 2048, 32, 65536, 65536,
   49152, 49152, 65536, 0, 0, 0, 1);
INSERT INTO sessions VALUES
  (1, 1, 'GPU-1', '580.95 (CUDA 13.0)', 'nvrtc 13.0',
   'distribution=random seed=1 l2=warm samples=7..50 budget_ms=100', '2026-01-02 03:04:05.000'),
  (2, 1, 'GPU-1', '580.95 (CUDA 13.0)', 'nvrtc 13.0',
   'distribution=random seed=1 l2=cold samples=7..50 budget_ms=100', '2026-01-03 03:04:05.000'),
  (3, 2, 'emulated', 'emulated', 'g++ 12.2.0',
   'distribution=random seed=1 l2=warm samples=7..50 budget_ms=100', '2026-01-04 03:04:05.000');
INSERT INTO problems VALUES
  (1, 'sort', 'u32', 'none', 'ascending', 1048576, 1),
  (2, 'sort', 'bf16', 'none', 'descending', 1000, 16),
  (3, 'sort', 'f64', 'none', 'ascending', 1024, 1);
INSERT INTO trials VALUES
  (1, 1, 1, 'warp(block_size_x=256,items=8)', 'kernels-a', 'ok', '', '[30.5,10.25,20]', 100, 5, 2.5, 40, 0, 0, 12, 0,
   '2026-01-02 03:04:06.000'),
  (2, 1, 1, 'warp(block_size_x=512,items=8)', 'kernels-a', 'ok', '', '[9,8,12,10.5]', 100, 5, 2.5, 48, 0, 0, 11, 1,
   '2026-01-02 03:04:07.000'),
  (5, 1, 1, 'shared(tile=4096)', 'kernels-a', 'spilled', '32 bytes of local memory', '[]', 100, 0, 0, 255, 32, 16384,
   0, 0, '2026-01-02 03:04:08.000'),
  (6, 2, 2, 'warp(block_size_x=256,items=8)', 'kernels-a', 'ok', '', '[0.1]', 0, 5, 2.5, 40, 0, 0, 1, 0,
   '2026-01-03 03:04:06.000'),
  (9, 3, 3, 'global()', 'kernels-b', 'wrong_result', 'key 3 is out of order', '[]', 100, 5, 0, 0, 0, 0, 55, 0,
   '2026-01-04 03:04:06.000'),
  (10, 3, 3, 'global()', 'kernels-b', 'ok', '', '[700,600]', 100, 5, 900, 0, 0, 0, 55, 0, '2026-01-04 03:04:07.000');
