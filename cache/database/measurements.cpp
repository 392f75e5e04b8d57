#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cache/database/filter.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"

namespace bitune::database {

std::vector<MeasuredTrial> measurements(const SQLite::Database& db, const TrialFilter& filter) {
  const Condition condition = condition_of(filter);
  SQLite::Statement row(db, fmt::format(R"sql(
SELECT t.id, t.session_id, t.configuration_id, d.digest, d.name,
  p.operation, p.key_type, p.value_type, p.key_order, p.n, p.rows, s.variant,
  t.median_us, t.mad_us, t.low_us, t.high_us, json_array_length(t.samples),
  t.clock_low_mhz, t.clock_high_mhz, t.throttled, t.remeasured
FROM trials t
JOIN series s ON s.id = t.series_id
JOIN devices d ON d.id = s.device_id
JOIN problems p ON p.id = s.problem_id
JOIN kernels k ON k.id = s.kernel_id
WHERE t.status = 'ok' AND t.median_us IS NOT NULL AND {}
ORDER BY d.id, p.operation, p.key_width, p.key_type, p.value_type, p.key_order, p.rows, p.n, s.variant, t.id{})sql",
                                        condition.sql, limit_clause(filter)));
  condition.bind_to(row);
  std::vector<MeasuredTrial> trials;
  while (row.executeStep()) {
    MeasuredTrial trial;
    trial.id = row.getColumn(0).getInt64();
    trial.session = row.getColumn(1).getInt64();
    trial.configuration = row.getColumn(2).getInt64();
    trial.device_digest = row.getColumn(3).getString();
    trial.device_name = row.getColumn(4).getString();
    trial.variant = row.getColumn(11).getString();
    trial.statistics = {row.getColumn(12).getDouble(), row.getColumn(13).getDouble(),
                        row.getColumn(14).getDouble(), row.getColumn(15).getDouble()};
    trial.samples = static_cast<std::uint64_t>(row.getColumn(16).getInt64());
    trial.remeasured = row.getColumn(20).getInt();
    try {
      trial.problem = read_problem(row, 5);
      trial.clock = {row.getColumn(17).getInt(), row.getColumn(18).getInt(),
                     parse_throttle(row.getColumn(19).getString())};
    } catch (const Error& error) {
      throw Unreadable("trial", trial.id, error.what());
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace bitune::database
