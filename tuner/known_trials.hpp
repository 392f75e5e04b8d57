#pragma once

/// \file
/// What the database already knows of a problem: what `resume` does not measure again.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "model/trial.hpp"
#include "runtime/kernel_sources.hpp"

namespace bitune {

/// Earlier trials of one problem on one device under one protocol, with the same kernel sources.
struct KnownTrials {
  std::set<std::string> tried;             ///< texts of all configurations tried, whatever came of it
  std::map<std::string, Trial> ok;         ///< by text: the newest verified trial of the search
  std::map<std::string, Trial> finalists;  ///< by text: the newest verified measurement in turn

  /// Time of a configuration, for strategies; nothing if it failed or is not known.
  [[nodiscard]] std::optional<double> time_us(const std::string& text) const;
};

/// \throws Error (database)
[[nodiscard]] KnownTrials read_known_trials(const TuningDatabase& database, const DeviceInfo& device,
                                            const Problem& problem, const Protocol& protocol,
                                            const KernelDigests& kernel_digests);

}  // namespace bitune
