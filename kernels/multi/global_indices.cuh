#pragma once

// Makes indices in a rank's part those in the whole.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Adds `first` to each of n indices. Any grid of blocks of at most nt threads.
template <u32 nt>
BITUNE_KERNEL(nt, 0)
add_to_indices(u64* indices, u64 n, u64 first) {
  const u64 stride = u64{block_count()} * block_size();
  for (u64 i = u64{block_index()} * block_size() + thread_index(); i < n; i += stride) indices[i] += first;
}

}  // namespace bitune
