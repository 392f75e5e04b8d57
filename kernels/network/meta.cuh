#pragma once

// Arithmetic on powers of two, at compile time, and on bits.

#include "kernels/platform/platform.cuh"

namespace bitune {

constexpr int log2_of(u32 value) { return value <= 1 ? 0 : 1 + log2_of(value >> 1); }
constexpr bool is_power_of_two(u32 value) { return value != 0 && (value & (value - 1)) == 0; }
constexpr int smaller_of(int a, int b) { return a < b ? a : b; }

/// The number of the lowest bit that is set.
BITUNE_DEVICE u32 lowest_bit(u32 bits) { return bit_count((bits & (0 - bits)) - 1); }

/// Inserts `count` zero bits into `value` at bit `position`: bits below stay, bits above move up.
template <class Index>
BITUNE_DEVICE constexpr Index insert_zero_bits(Index value, int position, int count) {
  const Index low = value & ((Index{1} << position) - 1);
  return low | ((value ^ low) << count);
}

}  // namespace bitune
