#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cache/database/filter.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"

namespace bitune::database {

std::vector<MeasuredTrial> measurements(const SQLite::Database& db, const TrialFilter& filter) {
  const Condition condition = condition_of(filter);
  SQLite::Statement row(
      db, fmt::format(R"sql(
SELECT t.id, t.session_id, t.configuration_id, d.digest, d.name, s.variant,
  t.median_us, t.mad_us, t.low_us, t.high_us, json_array_length(t.samples),
  t.clock_low_mhz, t.clock_high_mhz, t.throttled, t.remeasured, {}
FROM trials t
JOIN series s ON s.id = t.series_id
JOIN devices d ON d.id = s.device_id
JOIN problems p ON p.id = s.problem_id
JOIN kernels k ON k.id = s.kernel_id
WHERE t.status = 'ok' AND t.median_us IS NOT NULL AND {}
ORDER BY d.id, {}, s.variant, t.id{})sql",
                      problem_columns(), condition.sql, order_of_problems, limit_clause(filter)));
  condition.bind_to(row);
  std::vector<MeasuredTrial> trials;
  while (row.executeStep()) {
    MeasuredTrial trial;
    int column = 0;
    const auto next = [&row, &column] { return row.getColumn(column++); };
    trial.id = next().getInt64();
    trial.session = next().getInt64();
    trial.configuration = next().getInt64();
    trial.device_digest = next().getString();
    trial.device_name = next().getString();
    trial.variant = next().getString();
    for (double* value :
         {&trial.statistics.median, &trial.statistics.mad, &trial.statistics.low, &trial.statistics.high}) {
      *value = next().getDouble();
    }
    trial.samples = static_cast<std::uint64_t>(next().getInt64());
    try {
      trial.clock.lowest_mhz = next().getInt();
      trial.clock.highest_mhz = next().getInt();
      trial.clock.throttled = parse_throttle(next().getString());
      trial.remeasured = next().getInt();
      trial.problem = read_problem(row, column);
    } catch (const Error& error) {
      throw Unreadable("trial", trial.id, error.what());
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace bitune::database
