#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bitune/error.hpp"
#include "cache/database/filter.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"

namespace bitune::database {
namespace {

using DeviceAndProblem = std::pair<std::int64_t, std::int64_t>;

/// What a filter says of problems. Rankings are by device and problem: that may be asked before ranking,
/// where it saves most of the work.
TrialFilter of_problems(const TrialFilter& filter) {
  TrialFilter restricted;
  static_cast<ProblemFilter&>(restricted) = filter;
  return restricted;
}

/// The trials that would be selected, in the order of their problems. The best under a filter is that of the
/// whole database if the filter admits it, variant by variant.
std::vector<std::pair<DeviceAndProblem, std::int64_t>> leaders_of(const SQLite::Database& db,
                                                                  const TrialFilter& filter) {
  SQLite::Statement row(db, leaders_sql(filter));
  condition_of(filter).bind_to(row, condition_of(of_problems(filter)).bind_to(row));
  std::vector<std::pair<DeviceAndProblem, std::int64_t>> leaders;
  while (row.executeStep()) {
    const DeviceAndProblem key{row.getColumn(0).getInt64(), row.getColumn(1).getInt64()};
    if (leaders.empty() || leaders.back().first != key)
      leaders.emplace_back(key, row.getColumn(2).getInt64());
  }
  return leaders;
}

/// Reads trials by their row numbers with one statement.
class TrialReader {
 public:
  explicit TrialReader(const SQLite::Database& db)
      : statement_(db, fmt::format("{} WHERE t.id = ?", select_trial_rows())) {}
  [[nodiscard]] std::optional<TrialRow> read(std::int64_t id) {
    statement_.reset();
    statement_.bind(1, id);
    if (!statement_.executeStep()) return std::nullopt;
    return read_trial_row(statement_);
  }

 private:
  SQLite::Statement statement_;
};

}  // namespace

std::string leaders_sql(const TrialFilter& filter) {
  return fmt::format(R"sql(
SELECT b.device_id, b.problem_id, b.trial_id FROM ({}) b
JOIN trials t ON t.id = b.trial_id
JOIN series s ON s.id = t.series_id
JOIN devices d ON d.id = b.device_id
JOIN problems p ON p.id = b.problem_id
JOIN kernels k ON k.id = s.kernel_id
WHERE {} ORDER BY d.id, {}, {})sql",
                     best_of_variants_select(condition_of(of_problems(filter)).sql), condition_of(filter).sql,
                     order_of_problems, trial_rank("b."));
}

std::string counts_sql(const TrialFilter& filter) {
  // Series know how many trials they have; those of one status are counted series by series, each a range of
  // an index: joined first, they would all have to be sorted.
  TrialFilter of_series = filter;
  of_series.status.reset();
  const std::string of_status =
      filter.status
          ? fmt::format("(SELECT count(*) FROM trials t WHERE t.series_id = s.id AND t.status = '{}')",
                        name_of(*filter.status))
          : "s.trials";
  const std::string ok = !filter.status || *filter.status == TrialStatus::ok ? "s.ok" : "0";
  return fmt::format(R"sql(
SELECT device_id, problem_id, digest, name, sum(trials), sum(ok), {4}
FROM (
  SELECT p.*, d.digest, d.name, s.device_id, s.problem_id, {0} AS trials, {1} AS ok
  FROM series s
  JOIN devices d ON d.id = s.device_id
  JOIN problems p ON p.id = s.problem_id
  JOIN kernels k ON k.id = s.kernel_id
  WHERE {2}) p
WHERE trials > 0 GROUP BY device_id, problem_id
ORDER BY device_id, {3}{5})sql",
                     of_status, ok, condition_of(of_series).sql, order_of_problems, problem_columns(),
                     limit_clause(filter));
}

std::vector<TrialRow> best(const SQLite::Database& db, const TrialFilter& filter) {
  TrialReader reader(db);
  std::vector<TrialRow> rows;
  for (const auto& [key, id] : leaders_of(db, filter)) {
    if (filter.limit != 0 && rows.size() == filter.limit) break;
    if (auto row = reader.read(id)) rows.push_back(std::move(*row));
  }
  return rows;
}

std::vector<ProblemSummary> summaries(const SQLite::Database& db, const TrialFilter& filter) {
  std::map<DeviceAndProblem, std::int64_t> leaders;
  for (const auto& [key, id] : leaders_of(db, filter)) leaders.emplace(key, id);

  SQLite::Statement counts(db, counts_sql(filter));
  TrialFilter of_series = filter;
  of_series.status.reset();
  condition_of(of_series).bind_to(counts);
  TrialReader reader(db);
  std::vector<ProblemSummary> rows;
  while (counts.executeStep()) {
    ProblemSummary row;
    const DeviceAndProblem key{counts.getColumn(0).getInt64(), counts.getColumn(1).getInt64()};
    int column = 6;
    try {
      row.problem = read_problem(counts, column);
    } catch (const Error& error) {
      throw Unreadable("problem", key.second, error.what());
    }
    row.device_digest = counts.getColumn(2).getString();
    row.device_name = counts.getColumn(3).getString();
    row.trials = static_cast<std::uint64_t>(counts.getColumn(4).getInt64());
    row.ok = static_cast<std::uint64_t>(counts.getColumn(5).getInt64());
    const auto found = leaders.find(key);
    if (found != leaders.end()) row.best = reader.read(found->second);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace bitune::database
