#pragma once

// The first and the last of all that the threads of a block have.

#include "kernels/network/placed_word.cuh"

namespace bitune {

template <class Item, int nt>
struct BlockEnds {
  static constexpr u32 warps = nt / warp_size;

  BITUNE_DEVICE static void widen(Item (&both)[2], Item first, Item last) {
    if (first < both[0]) both[0] = first;
    if (both[1] < last) both[1] = last;
  }

  /// A thread's ends become the block's. shared: two items a warp. A barrier, which what was written before is behind.
  BITUNE_DEVICE static void find(Item (&both)[2], Item* shared) {
    widen_over_lanes<static_cast<int>(warp_size) / 2>(both);
    if (lane() == 0) {
      shared[2 * warp_index()] = both[0];
      shared[2 * warp_index() + 1] = both[1];
    }
    sync_block();
    both[0] = shared[2 * (lane() % warps)];
    both[1] = shared[2 * (lane() % warps) + 1];
    widen_over_lanes<static_cast<int>(warps) / 2>(both);
  }

 private:
  template <int distance>
  BITUNE_DEVICE static void widen_over_lanes(Item (&both)[2]) {
    if constexpr (distance > 0) {
      Item other[2];
      shuffle_xor_each(both, distance, other);
      widen(both, other[0], other[1]);
      widen_over_lanes<distance / 2>(both);
    }
  }
};

}  // namespace bitune
