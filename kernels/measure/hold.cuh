#pragma once

// Keeps a stream busy while the host queues what is to be timed, so that events around it see no gaps between launches.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Passes time: `steps` multiply-adds that depend on each other, in one thread. The result is stored, so that the loop
/// stays in the code; its end is certain, so that a queue that is full before it never waits for ever.
template <u32 nt>
BITUNE_KERNEL(nt, 0)
hold_stream(u64 steps, u64* sink) {
  u64 state = steps | 1;
  for (u64 i = 0; i < steps; ++i) state = state * 6364136223846793005ull + 1442695040888963407ull;
  *sink = state;
}

}  // namespace bitune
