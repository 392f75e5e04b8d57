#pragma once

// Candidates that the blocks of a cluster send to one of them.

#include "kernels/topk/candidates.cuh"
#include "kernels/topk/cluster_ranks.cuh"

namespace bitune {

/// Sends the thread's keys, a bit for each, to the block `leader`: to `candidates`, in any order, as far as there is room for `capacity`.
/// Adds to `count` how many were to be sent. Both are what the leader has at the same address. A barrier of all blocks.
template <int ranks, int capacity, class Form, class Buffer, class Keys>
BITUNE_DEVICE void send_candidates(const Keys& keys, u32 bits, u32 leader, const Buffer& candidates, u32* count) {
  using Ranks = ClusterRanks<ranks>;
  if (!all_of_warp(bits == 0)) {
    const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
    u32 to = 0;
    if (lane() == 0) to = atomic_add(Ranks::shared_of(count, leader), of_warp.all);
    to = shuffle(to, 0) + of_warp.before;
    const Buffer gathered{Ranks::shared_of(candidates.items, leader)};
    for (u32 left = bits; left != 0; left &= left - 1, ++to) {
      if (to < capacity) gathered[to] = keys.template item<Form>(lowest_bit(left));
    }
  }
  Ranks::sync();
}

}  // namespace bitune
