#pragma once

// Sums and prefix sums over groups of a block's threads. A sum takes one barrier of the group. Consecutive sums use two halves of the
// memory in turn. So a thread that is one sum ahead overwrites nothing that another one still reads.

#include "kernels/network/meta.cuh"
#include "kernels/network/network_layout.hpp"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// The block's nt threads in `groups` equal groups of whole warps, one behind the other.
template <int nt, int groups>
struct ThreadGroup {
  static constexpr u32 threads = nt / groups;
  static constexpr u32 warps = threads / warp_size;
  static_assert(is_power_of_two(threads) && warps >= 1 && nt <= 1024);

  BITUNE_DEVICE static u32 index() { return thread_index() / threads; }
  BITUNE_DEVICE static u32 thread() { return thread_index() % threads; }
  BITUNE_DEVICE static u32 first_warp() { return index() * warps; }
  BITUNE_DEVICE static u32 warp() { return warp_index() % warps; }

  /// Barrier of the group; orders memory among its threads.
  BITUNE_DEVICE static void sync() {
    if constexpr (groups == 1) {
      sync_block();
    } else {
      sync_part(index(), threads);
    }
  }
};

/// Sums of N numbers (u32 or float) over a group, whose threads get all of them. Shared memory of the group: `words` numbers.
template <class Number, class Group, int N>
struct GroupSum {
  static constexpr u32 words = layout::sum_words(Group::threads, N);

  Number* shared;
  u32 turn = 0;

  BITUNE_DEVICE explicit GroupSum(Number* memory) : shared(memory) {}

  BITUNE_DEVICE void operator()(Number (&values)[N]) {
    warp_sum_each(values);
    Number* half = shared + turn * (words / 2);
    turn ^= 1;
    if (lane() == 0) {
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) half[Group::warp() * N + i] = values[i];
    }
    Group::sync();
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) values[i] = 0;
    for (u32 warp = 0; warp < Group::warps; ++warp) {
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) values[i] += half[warp * N + i];
    }
  }
};

/// Exclusive prefix sums over a group, round by round. The sum of a round is carried into the next.
/// Shared memory of the group: `words` u32.
template <class Group>
struct GroupPrefixSum {
  static constexpr u32 words = layout::prefix_sum_words(Group::threads);

  u32* shared;
  u32 turn = 0;
  u32 carry = 0;

  BITUNE_DEVICE explicit GroupPrefixSum(u32* memory) : shared(memory) {}

  /// Sum of the values of all earlier rounds and of all threads before this one.
  BITUNE_DEVICE u32 operator()(u32 value) {
    u32 sum = value;  // inclusive, over the warp
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      const u32 before = shuffle(sum, lane() - distance);  // modulo the warp's size
      if (lane() >= distance) sum += before;
    }
    u32* half = shared + turn * (words / 2);
    turn ^= 1;
    if (lane() == warp_size - 1) half[Group::warp()] = sum;
    Group::sync();
    u32 before_warp = carry;
    for (u32 warp = 0; warp < Group::warps; ++warp) {
      if (warp == Group::warp()) before_warp = carry;
      carry += half[warp];
    }
    return before_warp + sum - value;
  }
};

}  // namespace bitune
