#pragma once

// The first launch of a plan that counts keys.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Sets `count` counters to 0; any grid of blocks of nt threads. The next launch begins when what came before this one is done: it
/// may read the keys at once, and changes counters when it has waited for this one.
template <int nt>
BITUNE_KERNEL(nt, 1) clear_counts(u32* counters, u32 count) {
  wait_for_previous_launch();
  allow_next_launch();
  for (u32 i = block_index() * nt + thread_index(); i < count; i += block_count() * nt) counters[i] = 0;
}

}  // namespace bitune
