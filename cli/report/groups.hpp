#pragma once

/// \file
/// Problems that differ in length only, and where over the length another one becomes the fastest.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bitune/types.hpp"

namespace bitune::cli {

/// Problems of one device that belong on one chart over n, by ascending n.
struct ProblemGroup {
  std::string title;                 ///< "u32, ascending, single arrays"
  std::vector<std::size_t> members;  ///< places in the list that was grouped
};

/// Single arrays of one key type and order are one group. Rows are one group if they have about as many keys
/// in all, else if they are equally many rows. Single arrays first, then in the order of the first member.
[[nodiscard]] std::vector<ProblemGroup> grouped(std::span<const Problem> problems);

/// The time of one contender at one length, with the interval that holds it.
struct TimeAtN {
  std::uint64_t n = 0;
  double us = 0;
  double low_us = 0;
  double high_us = 0;
};

/// Times over n of one contender, by ascending n, one of each.
struct TimesOverN {
  std::string name;
  std::vector<TimeAtN> points;
};

/// Where another contender becomes the fastest.
struct Crossover {
  double n = 0;
  std::string from;
  std::string to;
  bool interpolated = false;  ///< both were measured on both sides; else n is halfway between (in log n)
};

/// Between neighbouring lengths of which the second has another leader, found on a logarithmic scale of n and
/// time. The leader stays it for as long as it ties with the fastest
/// (`is_tie`), so that noise makes no crossover.
[[nodiscard]] std::vector<Crossover> crossovers(std::span<const TimesOverN> contenders);

}  // namespace bitune::cli
