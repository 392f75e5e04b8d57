#pragma once

/// \file
/// How noisy measurements were: what the statistics of stored trials say of how they were taken.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"

namespace bitune {

/// The verified trials of one device, problem and variant. Parts are of the median: 0.01 is 1 %.
struct NoiseGroup {
  std::string device_digest;
  std::string device_name;
  Problem problem;
  std::string variant;
  std::uint64_t trials = 0;
  double samples = 0;            ///< a trial, median
  double relative_mad = 0;       ///< median over the trials
  double half_width = 0;         ///< of the median's interval, median over the trials
  double half_width_90 = 0;      ///< 90 % of the trials have none that is wider
  std::uint64_t precise = 0;     ///< trials whose interval is within the precision
  std::uint64_t remeasured = 0;  ///< trials of which samples were discarded and taken again
  ClockSummary clock;            ///< over all of them
  std::uint64_t repeats = 0;     ///< configurations that one session measured more than once
  /// Of these: by what part the last time exceeds the first one, median; below 0 it is shorter. The best of a
  /// search owe their places partly to luck, so that finals tend to find them slower.
  std::optional<double> drift;
};

/// Groups in the order in which they are first met.
[[nodiscard]] std::vector<NoiseGroup> noise_of(std::span<const MeasuredTrial> trials,
                                               double precision = 0.01);

}  // namespace bitune
