#include "cache/database/trial_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cache/database/rows.hpp"

namespace bitune::database {
namespace {

/// Thirty years. What is far longer is no measurement, and sums of such times would overflow.
constexpr double longest_us = 1e15;

bool is_time(double us) { return us >= 0 && us <= longest_us; }  // and so no NaN

std::string fault_of_statistics(const SampleStatistics& stored, const std::vector<double>& samples) {
  if (stored.median != median_of(samples)) return "its median is not that of its samples";
  if (stored.mad != median_absolute_deviation(samples)) return "its deviation is not that of its samples";
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  const bool holds = *least <= stored.low && stored.low <= stored.median && stored.median <= stored.high &&
                     stored.high <= *most;
  return holds ? "" : "its interval is not one of its samples and its median";
}

}  // namespace

std::string fault_of(const Trial& trial, const std::optional<SampleStatistics>& statistics) {
  for (const double sample : trial.samples_us) {
    if (!is_time(sample)) return fmt::format("a sample of {} us is not a time", sample);
  }
  constexpr double us_per_ms = 1000;
  for (const double stage : {trial.compile_ms, trial.verify_ms, trial.measure_ms}) {
    if (!is_time(stage * us_per_ms)) return fmt::format("{} ms is not the time of a stage", stage);
  }
  if (!is_timestamp(trial.timestamp)) {
    return fmt::format("'{}' is not a timestamp like '2026-11-21 12:00:00.000'", trial.timestamp);
  }
  if (statistics.has_value() == trial.samples_us.empty())
    return "its statistics are not those of its samples";
  return statistics ? fault_of_statistics(*statistics, trial.samples_us) : std::string();
}

}  // namespace bitune::database
