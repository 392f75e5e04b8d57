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
  if (rank > groups) return 4 * groups;
  // Where i groups have their minima, a sample is of one of them by a chance of i / groups: before the next
  // minimum there are as many of these as there are failures before a success. Chernoff's bound of their sum,
  // by bisection: it falls as `base` rises.
  double meetings = 0;
  double low = 1;
  double high = static_cast<double>(groups) / static_cast<double>(std::max<std::uint64_t>(rank, 2) - 1);
  for (int step = 0; step < 40; ++step) {
    const double base = (low + high) / 2;
    double bound = 0;
    double mean = 0;
    for (std::uint64_t i = 1; i < rank; ++i) {
      const double chance = static_cast<double>(i) / static_cast<double>(groups);
      mean += chance * base / (1 - chance * base);
      bound += std::log((1 - chance) / (1 - chance * base));
    }
    if (bound - mean * std::log(base) <= std::log(accepted_chance)) {
      high = base;
      meetings = mean;
    } else {
      low = base;
    }
  }
  return rank + static_cast<std::uint64_t>(std::ceil(meetings));
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
