#pragma once

/// \file
/// What a block of the variant cluster_by_digits keeps in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Where the parts of DigitCluster begin behind the items that a block receives and its own, and how many bytes all are together.
struct DigitClusterParts {
  Size targets;
  Size counts;
  Size ranks;
  Size scratch;
  Size arrivals;
  Size bytes;
};

constexpr DigitClusterParts digit_cluster_parts(Size threads, Size items, Size item_bytes, Size blocks, Size digit_bits, Size passes) {
  const Size values = Size{1} << digit_bits;
  const Size targets = 2 * threads * items * item_bytes;
  const Size counts = targets + values * 4;
  const Size ranks = counts + 2 * blocks * values * 2;
  const Size scratch = ranks + warps_of(threads) * values * 2;
  const Size arrivals = rounded_up(scratch + 2 * 4 * prefix_sum_words(threads), 8);
  return {targets, counts, ranks, scratch, arrivals, arrivals + 8 * (2 * passes - 1)};
}

}  // namespace bitune::layout
