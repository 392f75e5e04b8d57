#pragma once

// What works on a row together: a cluster of `ranks` blocks, or a block by itself, which needs no device with clusters.

#include "kernels/platform/platform.cuh"

namespace bitune {

template <int ranks>
struct ClusterRanks {
  BITUNE_DEVICE static u32 own() { return ranks == 1 ? 0 : cluster_rank(); }

  /// A barrier of all threads of all blocks.
  BITUNE_DEVICE static void sync() {
    if constexpr (ranks == 1) {
      sync_block();
    } else {
      sync_cluster();
    }
  }

  /// The address, in the block of that rank, of what `local` is in this block's shared memory.
  template <class T>
  BITUNE_DEVICE static T* shared_of(T* local, u32 rank) {
    return ranks == 1 ? local : shared_of_rank(local, rank);
  }
};

/// A barrier of a cluster's blocks, or of the block, that a bound waits for.
template <int ranks>
BITUNE_DEVICE void sync_ranks() {
  if constexpr (ranks == 1) {
    sync_block();  // else the bound is wrong, which costs time alone
  } else {
    sync_cluster();  // else the bound is wrong, which costs time alone
  }
}

}  // namespace bitune
