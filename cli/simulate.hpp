#pragma once

/// \file
/// `bitune tune --simulate`: searches over recorded spaces, without a device.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/durations.hpp"

namespace bitune::cli {

struct SimulateOptions {
  std::vector<std::string> files;
  std::vector<std::string> strategies;  ///< names, or all
  Budget budget;                        ///< seconds are virtual
  std::uint64_t seed = 1;               ///< the first one
  int seeds = 1;
  int at_once = 1;  ///< proposals that are made before the first of them is answered
  bool json = false;
};

/// Prints what each strategy reaches on each space; returns the exit code.
/// \throws Error (usage, io, input, database)
int simulate(const SimulateOptions& options);

}  // namespace bitune::cli
