#include "cache/database/queries.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cache/database/filter.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"

namespace bitune::database {
namespace {

std::vector<TrialRow> read_all(SQLite::Statement& statement) {
  std::vector<TrialRow> rows;
  while (statement.executeStep()) rows.push_back(read_trial_row(statement));
  return rows;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> tried(const SQLite::Database& db,
                                                       const std::string& device_digest,
                                                       const Problem& problem, const Protocol& protocol) {
  SQLite::Statement statement(db, fmt::format(R"sql(
SELECT DISTINCT c.text, k.digest
FROM series s
JOIN devices d ON d.id = s.device_id
JOIN problems p ON p.id = s.problem_id
JOIN protocols q ON q.id = s.protocol_id
JOIN kernels k ON k.id = s.kernel_id
JOIN trials t ON t.series_id = s.id
JOIN configurations c ON c.id = t.configuration_id
WHERE s.imported = 0 AND d.digest = ?1 AND q.text = ?2 AND {}
ORDER BY 1, 2)sql",
                                              column_match<Problem>("p.", 3)));
  statement.bind(1, device_digest);
  statement.bind(2, protocol.text());
  bind_fields(statement, 3, problem);
  std::vector<std::pair<std::string, std::string>> pairs;
  while (statement.executeStep()) {
    pairs.emplace_back(statement.getColumn(0).getString(), statement.getColumn(1).getString());
  }
  return pairs;
}

std::optional<TrialRow> measured(const SQLite::Database& db, const std::string& device_digest,
                                 const Trial& like, const Protocol& protocol) {
  SQLite::Statement statement(
      db, fmt::format("{} WHERE s.imported = 0 AND t.finalist = 0 AND d.digest = ?1 AND q.text = ?2 AND "
                      "k.digest = ?3 AND c.text = ?4 AND c.variant = ?5 AND {} ORDER BY t.id DESC LIMIT 1",
                      select_trial_rows(), column_match<Problem>("p.", 6)));
  statement.bind(1, device_digest);
  statement.bind(2, protocol.text());
  statement.bind(3, like.kernel_digest);
  statement.bind(4, like.configuration.text());
  statement.bind(5, like.configuration.variant);
  bind_fields(statement, 6, like.problem);
  if (!statement.executeStep()) return std::nullopt;
  return read_trial_row(statement);
}

std::vector<DeviceRow> devices(const SQLite::Database& db) {
  SQLite::Statement statement(db, fmt::format(R"sql(
SELECT {}, d.id, w.uuid, w.driver, w.compiler, coalesce(e.started, ''),
  (SELECT coalesce(sum(s.trials), 0) FROM series s WHERE s.device_id = d.id)
FROM devices d
LEFT JOIN sessions e ON e.id = (SELECT id FROM sessions WHERE device_id = d.id ORDER BY started DESC, id DESC LIMIT 1)
LEFT JOIN software w ON w.id = e.software_id
ORDER BY d.id)sql",
                                              device_columns()));
  std::vector<DeviceRow> rows;
  while (statement.executeStep()) {
    int column = 0;
    const auto text = [&statement, &column] {
      const SQLite::Column value = statement.getColumn(column++);
      return value.isNull() ? std::string() : value.getString();
    };
    DeviceRow row;
    row.info = read_device(statement, column);
    row.id = statement.getColumn(column++).getInt64();
    row.software.uuid = text();
    row.software.driver = text();
    row.software.compiler = text();
    row.last_seen = text();
    row.trials = static_cast<std::uint64_t>(statement.getColumn(column).getInt64());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TrialRow> trials(const SQLite::Database& db, const TrialFilter& filter) {
  const Condition condition = condition_of(filter);
  SQLite::Statement statement(db, fmt::format("{} WHERE {} ORDER BY t.id DESC{}", select_trial_rows(),
                                              condition.sql, limit_clause(filter)));
  condition.bind_to(statement);
  return read_all(statement);
}

std::optional<TrialRow> trial(const SQLite::Database& db, std::int64_t id) {
  SQLite::Statement statement(db, fmt::format("{} WHERE t.id = ?", select_trial_rows()));
  statement.bind(1, id);
  if (!statement.executeStep()) return std::nullopt;
  return read_trial_row(statement);
}

std::uint64_t prune(SQLite::Database& db, const TrialFilter& filter, bool superseded_only, bool dry_run) {
  const Condition condition = condition_of(filter);
  const std::string matching =
      fmt::format(R"sql(
  SELECT t.id FROM trials t
  JOIN series s ON s.id = t.series_id
  JOIN devices d ON d.id = s.device_id
  JOIN problems p ON p.id = s.problem_id
  JOIN kernels k ON k.id = s.kernel_id
  WHERE {} AND {} ORDER BY t.id{})sql",
                  condition.sql, superseded_only ? superseded_condition : "1", limit_clause(filter));
  if (dry_run) {
    SQLite::Statement count(db, fmt::format("SELECT count(*) FROM ({})", matching));
    condition.bind_to(count);
    count.executeStep();
    return static_cast<std::uint64_t>(count.getColumn(0).getInt64());
  }
  // What a trial refers to stays: sessions of other processes may be under way.
  SQLite::Statement deletion(db, fmt::format("DELETE FROM trials WHERE id IN ({})", matching));
  condition.bind_to(deletion);
  return static_cast<std::uint64_t>(deletion.exec());
}

}  // namespace bitune::database
