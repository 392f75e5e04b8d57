#include "cache/database/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cache/database/rows.hpp"

namespace bitune::database {
namespace {

// A series holds the trials that may be ranked together: one device, problem, protocol, kernel source and
// variant, and either measured by bitune or read from files: what a file claims never supersedes what was
// measured. Its device, protocol and origin repeat those of the sessions, so that ranking needs one index.
// The triggers below count its trials, so that a list of a million of them need not. `check` compares all of
// that.
constexpr const char* schema_tables = R"sql(
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
{devices}  digest TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE software (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  driver TEXT NOT NULL,
  compiler TEXT NOT NULL,
  UNIQUE (uuid, driver, compiler)
) STRICT;

CREATE TABLE protocols (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES devices,
  software_id INTEGER NOT NULL REFERENCES software,
  protocol_id INTEGER NOT NULL REFERENCES protocols,
  started TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
{problems}  key_width INTEGER NOT NULL,
  UNIQUE ({problem_columns})
) STRICT;

CREATE TABLE configurations (
  id INTEGER PRIMARY KEY,
  variant TEXT NOT NULL,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE kernels (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE
) STRICT;

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
)sql";

constexpr const char* indices = R"sql(
CREATE INDEX sessions_by_device ON sessions (device_id);
CREATE INDEX problems_by_width ON problems (operation, key_width, value_bytes, index_bytes);
CREATE INDEX series_by_problem ON series (problem_id);
CREATE INDEX trials_by_session ON trials (session_id);
CREATE INDEX trials_by_configuration ON trials (series_id, configuration_id, timestamp, finalist, status);
CREATE INDEX trials_by_rank ON trials (series_id, finalist DESC, median_us)
  WHERE status = 'ok' AND median_us IS NOT NULL;
)sql";

constexpr const char* triggers = R"sql(
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
)sql";

std::string best_views() {
  return fmt::format(R"sql(
CREATE VIEW best_of_variants AS {};
CREATE VIEW best AS
SELECT d.name AS device, d.digest AS device_digest, {},
       c.text AS configuration, b.median_us, b.finalist, b.trial_id
FROM (SELECT *, row_number() OVER (PARTITION BY device_id, problem_id ORDER BY {})
        AS place FROM best_of_variants) b
JOIN devices d ON d.id = b.device_id
JOIN problems p ON p.id = b.problem_id
JOIN trials t ON t.id = b.trial_id
JOIN configurations c ON c.id = t.configuration_id
WHERE b.place = 1;
)sql",
                     best_of_variants_select("1"), problem_columns(), trial_rank(""));
}

/// ORDER BY terms of SeriesRank, over what leaders_select gives.
constexpr std::string_view series_rank = "finalist DESC, timestamp DESC, trial_id DESC";

/// A table, index, trigger or view: its type as SQLite calls it, and the SQL that SQLite keeps of it.
struct Object {
  std::string type;
  std::string sql;
  bool operator==(const Object&) const = default;
};
using Objects = std::map<std::string, Object>;  // by name

Objects objects_of(const SQLite::Database& db) {
  Objects objects;
  SQLite::Statement rows(
      db, "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (rows.executeStep()) {
    objects[rows.getColumn(0).getString()] = {rows.getColumn(1).getString(), rows.getColumn(2).getString()};
  }
  return objects;
}

/// The tables; those of described types have a column for each field.
std::string table_definitions() {
  return fmt::format(schema_tables, fmt::arg("devices", column_definitions<DeviceInfo>()),
                     fmt::arg("problems", column_definitions<Problem>()),
                     fmt::arg("problem_columns", column_list<Problem>()));
}

const std::string& whole_schema() {
  static const std::string schema = table_definitions() + indices + triggers + best_views();
  return schema;
}

/// What `objects_of` finds in a database with this schema. SQLite keeps the text of a CREATE statement as it
/// was written, without the semicolon; each of ours begins a line ("CREATE TABLE name"). To compare texts
/// takes every process that opens a database a tenth of what it would take to create one in memory to compare
/// with.
Objects objects_in(std::string_view schema) {
  constexpr std::string_view create = "\nCREATE ";
  Objects objects;
  std::size_t begin = schema.find(create);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(schema.find(create, begin + 1), schema.size());
    const std::string_view text = schema.substr(begin, end - begin);
    const std::string_view sql = text.substr(1, text.rfind(';') - 1);
    const std::string_view words = sql.substr(create.size() - 1);
    const std::size_t blank = words.find(' ');
    const std::string_view rest = words.substr(blank + 1);
    std::string type(words.substr(0, blank));
    std::transform(type.begin(), type.end(), type.begin(),
                   [](char c) { return static_cast<char>(c | 0x20); });
    objects[std::string(rest.substr(0, rest.find(' ')))] = {std::move(type), std::string(sql)};
    begin = end < schema.size() ? end : std::string_view::npos;
  }
  return objects;
}

}  // namespace

const std::string_view superseded_condition =
    "EXISTS (SELECT 1 FROM trials later WHERE later.series_id = t.series_id "
    "AND later.configuration_id = t.configuration_id AND later.timestamp >= t.timestamp "
    "AND (later.timestamp, later.id) > (t.timestamp, t.id) "
    "AND (later.finalist = t.finalist OR later.status <> 'ok'))";

std::string trial_rank(std::string_view of) {
  return fmt::format("{0}finalist DESC, {0}median_us, {0}trial_id", of);
}

std::string leaders_select(std::string_view problem_condition, std::string_view columns,
                           std::string_view joins) {
  // By TrialRank: of equal trials the index has the first row first.
  return fmt::format(
      R"sql(
  SELECT s.device_id, s.problem_id, s.protocol_id, s.variant, l.id AS trial_id, l.finalist, l.median_us, l.timestamp{}
  FROM problems p CROSS JOIN series s ON s.problem_id = p.id
  CROSS JOIN trials l ON l.id = (
    SELECT t.id FROM trials t
    WHERE t.series_id = s.id AND t.status = 'ok' AND t.median_us IS NOT NULL AND NOT {}
    ORDER BY t.finalist DESC, t.median_us LIMIT 1){}
  WHERE {})sql",
      columns, superseded_condition, joins, problem_condition);
}

std::string best_of_variants_select(std::string_view problem_condition) {
  return fmt::format(R"sql(
WITH leaders AS ({0}),
with_protocol AS (
  SELECT *, first_value(protocol_id) OVER (PARTITION BY device_id, problem_id
              ORDER BY {1}) AS ranked_protocol_id
  FROM leaders),
with_place AS (
  SELECT *, row_number() OVER (PARTITION BY device_id, problem_id, variant
              ORDER BY {1}) AS place
  FROM with_protocol WHERE protocol_id = ranked_protocol_id)
SELECT device_id, problem_id, variant, trial_id, finalist, median_us FROM with_place WHERE place = 1)sql",
                     leaders_select(problem_condition, "", ""), series_rank);
}

void create_objects(SQLite::Database& db) { db.exec(whole_schema()); }

void create_schema(SQLite::Database& db) {
  create_objects(db);
  db.exec(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, schema_version));
}

std::vector<std::string> schema_problems(const SQLite::Database& db) {
  const Objects found = objects_of(db);
  std::vector<std::string> problems;
  for (const auto& [name, object] : objects_in(whole_schema())) {
    const auto at = found.find(name);
    if (at == found.end()) {
      problems.push_back(fmt::format("{} '{}' is missing", object.type, name));
    } else if (at->second != object) {
      problems.push_back(fmt::format("{} '{}' is not defined as bitune defines it", object.type, name));
    }
  }
  return problems;
}

}  // namespace bitune::database
