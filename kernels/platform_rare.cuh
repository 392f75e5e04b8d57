#pragma once

/// \file
/// Votes of a warp, a number nobody foresees, and one the compiler does not: the part of the platform (platform.cuh) that few
/// kernels need.

#include "kernels/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// For how many lanes of the warp the condition holds; all of them take part.
BITUNE_DEVICE u32 count_of_warp(bool condition) {
  u32 count[1] = {condition ? 1u : 0u};
  warp_sum_each(count);
  return count[0];
}

/// Whether the condition holds for all lanes of the warp; all of them take part.
BITUNE_DEVICE bool all_of_warp(bool condition) { return count_of_warp(condition) == warp_size; }

/// A number that nobody who chose the keys knows. On the emulated device it is always the same, so that runs can be repeated.
BITUNE_DEVICE u32 unforeseen() { return 0; }

/// The same number, of which the compiler does not know that it is the same: what is computed from it is not kept in registers
/// from before.
BITUNE_DEVICE int recomputed(int number) { return number; }

#else

BITUNE_DEVICE u32 count_of_warp(bool condition) {
  return static_cast<u32>(__popc(__ballot_sync(all_lanes, condition)));
}

BITUNE_DEVICE bool all_of_warp(bool condition) { return __all_sync(all_lanes, condition); }

BITUNE_DEVICE u32 unforeseen() {
  u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return static_cast<u32>(nanoseconds) * 0x9e3779b9u ^ static_cast<u32>(clock64());
}

BITUNE_DEVICE int recomputed(int number) {
  asm volatile("" : "+r"(number)::"memory");
  return number;
}

#endif

}  // namespace bitune
