#pragma once

/// \file
/// Sizes of the counting variant's data.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Values that a key of so many bits can have, each of which has a counter.
constexpr Size counted_values(Size key_bits) { return Size{1} << key_bits; }

/// Neighbouring values that have a counter together, besides their own.
constexpr Size values_of_bin() { return 256; }

constexpr Size counted_bins(Size key_bits) { return counted_values(key_bits) / values_of_bin(); }

/// Counters in memory: of each value, then of each bin.
constexpr Size counters(Size key_bits) { return counted_values(key_bits) + counted_bins(key_bits); }

/// u32 in shared memory of a block that counts: one for each bin where the values' counters are in memory (parts 0), else one for each
/// value of its part.
constexpr Size count_values_words(Size key_bits, Size parts) {
  return parts == 0 ? counted_bins(key_bits) : counted_values(key_bits) / parts;
}

/// u32 in shared memory of a block that writes: GroupPrefixSum's, a place of each bin, and one of each thread's value and of the end.
constexpr Size write_counted_words(Size key_bits, Size threads) {
  return prefix_sum_words(threads) + counted_bins(key_bits) + threads + 1;
}

}  // namespace bitune::layout
