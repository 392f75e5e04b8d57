#pragma once

/// \file
/// How the times of all valid configurations are distributed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/report/standing.hpp"

namespace bitune::cli {

/// Counts in bins of equal ratio between the fastest and the slowest time.
struct Distribution {
  double low_us = 0;
  double high_us = 0;
  std::size_t bins = 0;
  std::map<std::string, std::vector<std::uint64_t>> counts;  ///< of each variant, one a bin
  double median_us = 0;                                      ///< half of the configurations are faster
};

/// Nothing is in it if there are no standings. At most 48 bins, fewer for few configurations.
[[nodiscard]] Distribution distribution_of(std::span<const Standing> standings);

/// How many configurations take at most so long.
[[nodiscard]] std::uint64_t count_within(std::span<const Standing> standings, double us);

}  // namespace bitune::cli
