#pragma once

// The first of the radix variants' launches.

#include "kernels/network/launch.cuh"

namespace bitune {

/// Sets `count` counters to 0; any grid of blocks of nt threads. As clear_counts, but the next launch begins at once: it reads no keys before
/// it has waited.
template <int nt>
BITUNE_KERNEL(nt, 1) clear_digits(u32* counters, u32 count) {
  begin_dependent_launch();
  for (u32 i = block_index() * nt + thread_index(); i < count; i += block_count() * nt) counters[i] = 0;
}

}  // namespace bitune
