#include "cache/database/migrations.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <optional>

#include "bitune/error.hpp"
#include "cache/database/columns.hpp"
#include "cache/database/kernel_digest_moves.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"
#include "model/statistics.hpp"
#include "model/variant_names.hpp"

namespace bitune::database {
namespace {

// Of every version that had them: what hangs on tables. Views and indices of the renamed tables would keep
// their names from those of today.
constexpr const char* drop_all_but_tables = R"sql(
DROP TRIGGER IF EXISTS trial_is_counted;
DROP TRIGGER IF EXISTS trial_is_no_longer_counted;
DROP TRIGGER IF EXISTS trial_is_counted_anew;
DROP VIEW IF EXISTS best;
DROP VIEW IF EXISTS best_of_variants;
DROP INDEX IF EXISTS sessions_by_device;
DROP INDEX IF EXISTS problems_by_width;
DROP INDEX IF EXISTS series_by_problem;
DROP INDEX IF EXISTS trials_by_session;
DROP INDEX IF EXISTS trials_by_configuration;
DROP INDEX IF EXISTS trials_by_rank;
)sql";

constexpr const char* all_tables[] = {"devices",        "software", "protocols", "sessions", "problems",
                                      "configurations", "kernels",  "series",    "trials"};

/// Executes a statement for each of the tables: {0} is its name, and {1} the one that it has while it is set
/// aside.
void for_each_table(SQLite::Database& db, int version, const char* statement) {
  for (const char* table : all_tables) {
    if (!db.tableExists(table)) continue;  // version 1 had fewer
    db.exec(fmt::format(fmt::runtime(statement), table, fmt::format("v{}_{}", version, table)));
  }
}

// Version 1 kept everything about a trial in its row, and no median: each ranking had to read all samples.
constexpr const char* fill_from_version_1 = R"sql(
INSERT INTO software (uuid, driver, compiler) SELECT DISTINCT uuid, driver, compiler FROM v1_sessions;
INSERT INTO protocols (text) SELECT DISTINCT protocol FROM v1_sessions;
INSERT INTO sessions (id, device_id, software_id, protocol_id, started, origin)
SELECT e.id, e.device_id, w.id, q.id, e.started, '' FROM v1_sessions e
JOIN software w ON w.uuid = e.uuid AND w.driver = e.driver AND w.compiler = e.compiler
JOIN protocols q ON q.text = e.protocol;

INSERT INTO configurations (variant, text)
SELECT DISTINCT substr(configuration, 1, instr(configuration, '(') - 1), configuration FROM v1_trials;
INSERT INTO kernels (digest) SELECT DISTINCT kernel_digest FROM v1_trials;

INSERT INTO series (device_id, problem_id, protocol_id, kernel_id, variant, imported)
SELECT DISTINCT e.device_id, o.problem_id, e.protocol_id, k.id, c.variant, 0 FROM v1_trials o
JOIN sessions e ON e.id = o.session_id
JOIN kernels k ON k.digest = o.kernel_digest
JOIN configurations c ON c.text = o.configuration;

INSERT INTO trials (id, session_id, series_id, configuration_id, status, message, finalist, median_us, samples,
  throttled, remeasured, compile_ms, verify_ms, measure_ms, registers, local_bytes, shared_bytes, launches, timestamp)
SELECT o.id, o.session_id, s.id, c.id, o.status, o.message, o.finalist,
  NULL, o.samples, '', 0, o.compile_ms, o.verify_ms, o.measure_ms, o.registers, o.local_bytes, o.shared_bytes, o.launches,
  o.timestamp
FROM v1_trials o
JOIN sessions e ON e.id = o.session_id
JOIN kernels k ON k.digest = o.kernel_digest
JOIN configurations c ON c.text = o.configuration
JOIN series s ON s.device_id = e.device_id AND s.problem_id = o.problem_id AND s.protocol_id = e.protocol_id
  AND s.kernel_id = k.id AND s.variant = c.variant;
)sql";

// Versions 2 and 3 had all tables, but of trials and with no more said: version 2 did not know where trials
// came from, since bitune had measured all of them.
std::string fill_from_tables(int version) {
  return fmt::format(R"sql(
INSERT INTO software SELECT * FROM v{version}_software;
INSERT INTO protocols SELECT * FROM v{version}_protocols;
INSERT INTO sessions (id, device_id, software_id, protocol_id, started, origin)
SELECT id, device_id, software_id, protocol_id, started, {origin} FROM v{version}_sessions;
INSERT INTO configurations SELECT * FROM v{version}_configurations;
INSERT INTO kernels SELECT * FROM v{version}_kernels;
INSERT INTO series (id, device_id, problem_id, protocol_id, kernel_id, variant, imported)
SELECT id, device_id, problem_id, protocol_id, kernel_id, variant, {imported} FROM v{version}_series;
)sql",
                     fmt::arg("version", version), fmt::arg("origin", version < 3 ? "''" : "origin"),
                     fmt::arg("imported", version < 3 ? "0" : "imported"));
}

// It kept no statistics but medians, and nothing of clocks.
constexpr const char* trials_of_version_2 = R"sql(
INSERT INTO trials (id, session_id, series_id, configuration_id, status, message, finalist, median_us, samples,
  throttled, remeasured, compile_ms, verify_ms, measure_ms, registers, local_bytes, shared_bytes, launches, timestamp)
SELECT id, session_id, series_id, configuration_id, status, message, finalist, median_us, samples,
  '', 0, compile_ms, verify_ms, measure_ms, registers, local_bytes, shared_bytes, launches, timestamp FROM v2_trials;
)sql";

// Version 3 told payloads apart by a type, and knew neither indices nor stability, k or segments.
constexpr const char* trials_of_version_3 = "INSERT INTO trials SELECT * FROM v3_trials;";

// Devices and problems of any older version, whose tables are called v<version>_...: what is a field now and
// was no column then has its default. The width of values was said by a type until version 3.
std::string fill_described(int version) {
  return fmt::format(R"sql(
INSERT INTO devices (id, digest, {devices}) SELECT id, digest, {old_devices} FROM v{version}_devices;
INSERT INTO problems (id, {problems}, key_width)
SELECT id, {old_problems},
  CASE WHEN key_type IN ('u8', 'i8') THEN 1 WHEN key_type IN ('u16', 'i16', 'f16', 'bf16') THEN 2
       WHEN key_type IN ('u32', 'i32', 'f32') THEN 4 ELSE 8 END
FROM v{version}_problems;
UPDATE problems SET value_bytes = (SELECT CASE o.value_type WHEN 'u32' THEN 4 WHEN 'u64' THEN 8 ELSE 0 END
                                   FROM v{version}_problems o WHERE o.id = problems.id);
)sql",
                     fmt::arg("version", version), fmt::arg("devices", column_list<DeviceInfo>()),
                     fmt::arg("old_devices", columns_or_defaults<DeviceInfo>()),
                     fmt::arg("problems", column_list<Problem>()),
                     fmt::arg("old_problems", columns_or_defaults<Problem>()));
}

// Trials of a variant keep their numbers under its new name. No database has both names: none was ever one of
// two.
void rename_variants(SQLite::Database& db) {
  for (const auto& [former, current] : renamed_variants) {
    db.exec(fmt::format(R"sql(
UPDATE series SET variant = '{1}' WHERE variant = '{0}';
UPDATE configurations SET variant = '{1}', text = '{1}' || substr(text, length('{0}') + 1) WHERE variant = '{0}';
)sql",
                        former, current));
  }
}

// Statistics are those of the samples, which every version has kept.
void add_statistics(SQLite::Database& db) {
  SQLite::Statement trials(db, "SELECT id, samples FROM trials WHERE samples <> '[]'");
  SQLite::Statement update(
      db, "UPDATE trials SET median_us = ?2, mad_us = ?3, low_us = ?4, high_us = ?5 WHERE id = ?1");
  while (trials.executeStep()) {
    const std::int64_t id = trials.getColumn(0).getInt64();
    std::optional<SampleStatistics> statistics;
    try {
      statistics = statistics_of(parse_samples(trials.getColumn(1).getString()));
    } catch (const Error& error) {
      throw SQLite::Exception(fmt::format("trial {}: {}", id, error.what()));
    }
    if (!statistics) continue;
    update.bind(1, id);
    update.bind(2, statistics->median);
    update.bind(3, statistics->mad);
    update.bind(4, statistics->low);
    update.bind(5, statistics->high);
    update.exec();
    update.reset();
  }
}

// Each older version is brought to the present one at once.
void migrate_from(SQLite::Database& db, int version, const std::string& fill) {
  const std::int64_t before = db.execAndGet("SELECT count(*) FROM trials").getInt64();
  db.exec(drop_all_but_tables);
  for_each_table(db, version, "ALTER TABLE {0} RENAME TO {1}");
  create_objects(db);
  db.exec(fill_described(version));
  db.exec(fill);
  for_each_table(db, version, "DROP TABLE IF EXISTS {1}");
  if (version < 3) add_statistics(db);
  const std::int64_t after = db.execAndGet("SELECT count(*) FROM trials").getInt64();
  if (before != after) {
    throw SQLite::Exception(
        fmt::format("{} of {} trials refer to a session that is not there", before - after, before));
  }
}

}  // namespace

bool is_of_today(SQLite::Database& db) {
  return db.execAndGet("PRAGMA user_version").getInt() >= schema_version && !has_moved_kernels(db);
}

void migrate(SQLite::Database& db) {
  if (is_of_today(db)) return;  // the usual case waits for no writer
  // Tables are replaced below while others refer to them; the pragma has no effect inside a transaction.
  db.exec("PRAGMA foreign_keys = OFF");
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (version == 1) migrate_from(db, 1, fill_from_version_1);
  if (version == 2) migrate_from(db, 2, fill_from_tables(2) + trials_of_version_2);
  if (version == 3) migrate_from(db, 3, fill_from_tables(3) + trials_of_version_3);
  if (version < schema_version) rename_variants(db);
  move_kernel_digests(db);
  SQLite::Statement dangling(db, "PRAGMA foreign_key_check");
  if (dangling.executeStep()) {
    throw SQLite::Exception(fmt::format("a row of table '{}' refers to one that is not there",
                                        dangling.getColumn(0).getString()));
  }
  dangling.reset();
  db.exec(fmt::format("PRAGMA user_version = {}", schema_version));
  transaction.commit();
}

}  // namespace bitune::database
