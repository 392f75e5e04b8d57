#pragma once

// Some of a thread's registers, a bit for each.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Those of `registers` for which the condition holds.
template <int registers, class Condition>
BITUNE_DEVICE u32 registers_where(const Condition& holds) {
  static_assert(registers <= 32);
  u32 bits = 0;
  BITUNE_UNROLL
  for (int r = 0; r < registers; ++r) bits |= holds(r) ? u32{1} << r : 0;
  return bits;
}

/// The first `count`, at most 32.
BITUNE_DEVICE u32 first_registers(u32 count) { return static_cast<u32>((u64{1} << count) - 1); }

}  // namespace bitune
