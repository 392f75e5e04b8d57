#pragma once

// Sums and prefix sums over the threads of a block.

#include "kernels/meta.cuh"
#include "kernels/platform.cuh"

namespace bitune {

/// Sums of N numbers over a block of nt threads, each of which gets all of them. Shared memory: `words` u32.
///
/// One barrier a sum: consecutive sums use two halves of the memory in turn, so that a thread which is ahead by one sum
/// overwrites nothing that another still reads.
template <int nt, int N>
struct BlockSum {
  static constexpr int warps = nt / warp_size;
  static constexpr u32 words = 2 * warps * N;
  static_assert(warps * warp_size == nt && warps <= 32);

  u32* shared;
  u32 turn = 0;

  BITUNE_DEVICE explicit BlockSum(u32* memory) : shared(memory) {}

  BITUNE_DEVICE void operator()(u32 (&values)[N]) {
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      u32 partner[N];
      shuffle_xor_each(values, distance, partner);
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) values[i] += partner[i];
    }
    u32* half = shared + turn * (warps * N);
    turn ^= 1;
    if (lane() == 0) {
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) half[warp_index() * N + i] = values[i];
    }
    sync_block();
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) values[i] = 0;
    for (int warp = 0; warp < warps; ++warp) {
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) values[i] += half[warp * N + i];
    }
  }
};

/// Exclusive prefix sums over a block of nt threads, round by round: what a round adds up to is carried into the next.
/// Shared memory and barriers as BlockSum's.
template <int nt>
struct BlockPrefixSum {
  static constexpr int warps = nt / warp_size;
  static constexpr u32 words = 2 * warps;

  u32* shared;
  u32 turn = 0;
  u32 carry = 0;

  BITUNE_DEVICE explicit BlockPrefixSum(u32* memory) : shared(memory) {}

  /// Sum of the values of all earlier rounds and of all threads before this one.
  BITUNE_DEVICE u32 operator()(u32 value) {
    u32 sum = value;  // inclusive, over the warp
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      const u32 before = shuffle(sum, lane() - distance);  // modulo the warp's size
      if (lane() >= distance) sum += before;
    }
    u32* half = shared + turn * warps;
    turn ^= 1;
    if (lane() == warp_size - 1) half[warp_index()] = sum;
    sync_block();
    u32 before_warp = carry;
    for (int warp = 0; warp < warps; ++warp) {
      if (warp == static_cast<int>(warp_index())) before_warp = carry;
      carry += half[warp];
    }
    return before_warp + sum - value;
  }
};

}  // namespace bitune
