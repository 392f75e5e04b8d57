#pragma once

/// \file
/// What was found out about one problem on one device: all trials that may be compared, without their
/// samples.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trial.hpp"

namespace bitune {

/// How one trial ended.
struct TrialOutcome {
  std::int64_t id = 0;
  Configuration configuration;
  TrialStatus status = TrialStatus::ok;
  std::string message;              ///< the first 400 characters of why it is not ok
  std::optional<double> median_us;  ///< of a trial that is ok
  bool finalist = false;
  bool superseded = false;  ///< a newer trial of the same configuration replaces it
};

/// The trials of one device and problem that are ranked together.
struct Evidence {
  std::vector<TrialOutcome> trials;  ///< the oldest first
  std::uint64_t left_out = 0;        ///< under other protocols, with other kernels, or read from files
};

}  // namespace bitune
