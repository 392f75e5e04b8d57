#pragma once

// The threads that work on a row together: a part of a warp, a warp, or a block.

#include "kernels/network/block_sum.cuh"

namespace bitune {

/// nt threads. Up to 32 of them are an aligned part of a warp, whose parts all run in step. More are the block.
template <int nt>
struct RowThreads {
  static constexpr bool is_block = nt > static_cast<int>(warp_size);
  static_assert(is_power_of_two(nt));

  BITUNE_DEVICE static u32 index() { return is_block ? thread_index() : thread_index() & (nt - 1); }

  BITUNE_DEVICE static void sync() {
    if constexpr (is_block) {
      sync_block();
    } else {
      sync_warp();
    }
  }

  /// Whether the condition, which is the same for all threads of a row, holds for all rows whose threads run in step.
  BITUNE_DEVICE static bool all_rows(bool condition) { return is_block ? condition : all_of_warp(condition); }
};

/// Numbers of a row's threads, added up.
struct ThreadSums {
  u32 before;  ///< of the threads before this one
  u32 all;
};

/// Adds up numbers over a row's threads. shared: GroupPrefixSum's words, where they are a block.
template <int nt, bool is_block = RowThreads<nt>::is_block>
struct RowSums {
  BITUNE_DEVICE explicit RowSums(u32* /*shared*/) {}

  BITUNE_DEVICE ThreadSums operator()(u32 value) {
    u32 sum = value;
    BITUNE_UNROLL
    for (u32 distance = 1; distance < nt; distance *= 2) {
      const u32 before = shuffle(sum, lane() - distance);  // modulo the warp's size
      if (RowThreads<nt>::index() >= distance) sum += before;
    }
    return {sum - value, shuffle(sum, lane() | (nt - 1))};
  }
};

template <int nt>
struct RowSums<nt, true> {
  GroupPrefixSum<ThreadGroup<nt, 1>> prefix_sum;

  BITUNE_DEVICE explicit RowSums(u32* shared) : prefix_sum(shared) {}

  BITUNE_DEVICE ThreadSums operator()(u32 value) {
    const u32 earlier = prefix_sum.carry;
    const u32 before = prefix_sum(value) - earlier;
    return {before, prefix_sum.carry - earlier};
  }
};

}  // namespace bitune
