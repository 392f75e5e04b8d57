#include "runtime/variants/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace bitune::sampling {
namespace {

/// Chernoff's bound of either tail of a sum with this mean: that it is as far off as `value`.
double tail(double mean, double value) {
  if (value <= 0) return std::exp(-mean);
  if (mean <= 0) return 0;
  return std::exp(value - mean - value * std::log(value / mean));
}

}  // namespace

std::uint64_t bound_rank(std::uint64_t samples, std::uint64_t k, std::uint64_t n) {
  if (k >= n) return samples + 1;
  const double mean = static_cast<double>(samples) * static_cast<double>(k) / static_cast<double>(n);
  std::uint64_t low = static_cast<std::uint64_t>(mean);  // about half of the times too few
  std::uint64_t high = samples + 1;
  while (low + 1 < high) {
    const std::uint64_t rank = low + (high - low) / 2;
    if (static_cast<double>(rank) > mean && tail(mean, static_cast<double>(rank)) <= accepted_chance) {
      high = rank;
    } else {
      low = rank;
    }
  }
  return high;
}

double overflow_chance(std::uint64_t samples, std::uint64_t rank, std::uint64_t capacity, std::uint64_t n) {
  if (n <= capacity) return 0;
  const double mean = static_cast<double>(samples) * static_cast<double>(capacity) / static_cast<double>(n);
  const auto fewer = static_cast<double>(std::max<std::uint64_t>(rank, 1) - 1);
  return rank > samples || fewer >= mean ? 1 : tail(mean, fewer);
}

bool fits(std::uint64_t samples, std::uint64_t k, std::uint64_t capacity, std::uint64_t n) {
  return overflow_chance(samples, bound_rank(samples, k, n), capacity, n) <= accepted_chance;
}

std::uint64_t room_for(std::uint64_t samples, std::uint64_t k, std::uint64_t n) {
  return room_for_rank(samples, bound_rank(samples, k, n), k, n);
}

std::uint64_t room_for_rank(std::uint64_t samples, std::uint64_t rank, std::uint64_t k, std::uint64_t n) {
  std::uint64_t low = std::min(k, n);  // there is never room for fewer
  std::uint64_t high = n;
  while (low + 1 < high) {
    const std::uint64_t room = low + (high - low) / 2;
    (overflow_chance(samples, rank, room, n) <= accepted_chance ? high : low) = room;
  }
  return high;
}

std::uint64_t up_to_minimum(std::uint64_t groups, std::uint64_t rank) {
  std::uint64_t samples = rank;
  for (; samples < 4 * groups; ++samples) {
    // So many samples have fewer than `rank` groups if more than the others meet another one in their group.
    const auto meetings = static_cast<double>(samples - rank + 1);
    const double mean =
        static_cast<double>(samples) * static_cast<double>(samples) / (2.0 * static_cast<double>(groups));
    if (meetings > mean && tail(mean, meetings) <= accepted_chance) break;
  }
  return samples;
}

std::uint64_t minimum_behind(std::uint64_t groups, std::uint64_t samples) {
  // That many samples fall into all groups but a share of exp(-samples / groups).
  const auto all = static_cast<double>(groups);
  for (std::uint64_t rank = 1; rank < groups; ++rank) {
    const double mean = -all * std::log1p(-static_cast<double>(rank) / all);
    if (mean > static_cast<double>(samples) &&
        tail(mean, static_cast<double>(samples) - 1) <= accepted_chance)
      return rank;
  }
  return groups;
}

}  // namespace bitune::sampling
