#pragma once

/// \file
/// What goes into one cache: trials that may be compared, one for each configuration. Private to the exchange
/// formats.

#include <cstddef>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"

namespace bitune::exchange {

/// Trials of one device, kernel and problem under one protocol, with the same kernel sources.
struct Series {
  DeviceInfo device;
  DeviceSoftware software;  ///< of the newest trial
  Protocol protocol;
  std::string origin;  ///< empty: measured by bitune
  Problem problem;
  std::string variant;
  std::string kernel_digest;
  std::vector<std::string> parameters;  ///< in the order of the search space
  std::vector<Trial> trials;            ///< one for each configuration, in the order in which they were tried

  /// "bitune_warp_u32_ascending"
  [[nodiscard]] std::string kernel_name() const;
  /// "1024", or "512x65536" with rows
  [[nodiscard]] std::string size_text() const;
  /// Index of the trial with the least median, finalists first; `trials.size()` if none has a time.
  [[nodiscard]] std::size_t best() const;
};

/// Whether the trial has times that may be compared.
[[nodiscard]] bool is_timed(const Trial& trial);

/// The series of each device, problem and variant that match, as `export_trials` chooses them.
[[nodiscard]] std::vector<Series> series_of(const TuningDatabase& database, const TrialFilter& filter);

}  // namespace bitune::exchange
