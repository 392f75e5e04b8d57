#pragma once

/// \file
/// A vote of a warp, and a number that nobody foresees: a part of the platform (platform.cuh) that few kernels need.

#include "kernels/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// Whether the condition holds for all lanes of the warp; all of them take part.
BITUNE_DEVICE bool all_of_warp(bool condition) {
  u32 misses[1] = {condition ? 0u : 1u};
  warp_sum_each(misses);
  return misses[0] == 0;
}

/// A number that nobody who chose the keys knows. On the emulated device it is always the same, so that runs can be repeated.
BITUNE_DEVICE u32 unforeseen() { return 0; }

#else

BITUNE_DEVICE bool all_of_warp(bool condition) { return __all_sync(all_lanes, condition); }

BITUNE_DEVICE u32 unforeseen() {
  u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return static_cast<u32>(nanoseconds) * 0x9e3779b9u ^ static_cast<u32>(clock64());
}

#endif

}  // namespace bitune
