#pragma once

/// \file
/// Barriers of a block, and what the lanes of a warp tell each other, on a GPU.

#include "kernels/platform/cuda/arithmetic.cuh"

namespace bitune {

// --- Barriers and shuffles ---

/// Barrier of all threads of the block that have not returned; orders shared and global memory among them.
BITUNE_DEVICE void sync_block() { __syncthreads(); }

/// Barrier of the block's threads [part * threads, (part + 1) * threads), whole warps; part is at most 14. Orders memory
/// among them.
BITUNE_DEVICE void sync_part(u32 part, u32 threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(part + 1), "r"(threads) : "memory");
}

/// Barrier of the lanes in `mask`; orders memory among them.
BITUNE_DEVICE void sync_warp(u32 mask = all_lanes) { __syncwarp(mask); }

/// The value that lane `lane() ^ lane_mask` passes. All lanes of the warp take part. T has at most 8 bytes.
template <typename T>
BITUNE_DEVICE T shuffle_xor(T value, u32 lane_mask) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__shfl_xor_sync(all_lanes, static_cast<u64>(value), static_cast<int>(lane_mask)));
  } else {
    return static_cast<T>(__shfl_xor_sync(all_lanes, static_cast<u32>(value), static_cast<int>(lane_mask)));
  }
}

/// The value that lane `source_lane` (modulo the warp's size) passes. All lanes of the warp take part.
template <typename T>
BITUNE_DEVICE T shuffle(T value, u32 source_lane) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__shfl_sync(all_lanes, static_cast<u64>(value), static_cast<int>(source_lane)));
  } else {
    return static_cast<T>(__shfl_sync(all_lanes, static_cast<u32>(value), static_cast<int>(source_lane)));
  }
}

/// shuffle_xor of each of N values: the same as N calls, but one rendezvous on the emulated device.
template <typename T, u32 N>
BITUNE_DEVICE void shuffle_xor_each(const T (&values)[N], u32 lane_mask, T (&received)[N]) {
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) received[i] = shuffle_xor(values[i], lane_mask);
}

/// The sum of each of N values over the warp, for all of its lanes.
template <u32 N>
BITUNE_DEVICE void warp_sum_each(u32 (&values)[N]) {
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) {
#if __CUDA_ARCH__ >= 800
    values[i] = __reduce_add_sync(all_lanes, values[i]);
#else
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) values[i] += shuffle_xor(values[i], distance);
#endif
  }
}

template <u32 N>
BITUNE_DEVICE void warp_sum_each(float (&values)[N]) {
  BITUNE_UNROLL
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    BITUNE_UNROLL
    for (u32 i = 0; i < N; ++i) values[i] += __shfl_xor_sync(all_lanes, values[i], static_cast<int>(distance));
  }
}

// --- Votes ---

/// Whether the condition holds for all lanes of the warp; all of them take part.
BITUNE_DEVICE bool all_of_warp(bool condition) { return __all_sync(all_lanes, condition); }

/// The lanes of the warp for which the condition holds; all lanes take part.
BITUNE_DEVICE u32 lanes_where(bool condition) { return __ballot_sync(all_lanes, condition); }

/// The lanes of the warp that have the same value, bit by bit; all lanes take part.
BITUNE_DEVICE u32 lanes_alike(u32 value) { return __match_any_sync(all_lanes, value); }

/// The lanes of the warp whose numbers have the same lower `bits` bits, by a vote on each bit; all lanes take part. Votes are inverted on the
/// multiplier's pipe (arithmetic.cuh).
template <int bits>
BITUNE_DEVICE u32 lanes_of_same_bits(u32 number) {
  u32 alike[bits + 1];
  BITUNE_UNROLL
  for (int b = 0; b < bits; ++b) {
    // The same in C++ becomes seven instructions a bit instead of four: the condition is computed twice, and selected by.
    asm("{.reg .pred is_set; .reg .u32 bit; and.b32 bit, %1, %2; setp.ne.u32 is_set, bit, 0;"
        " vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set mad.lo.u32 %0, %0, %3, %3;}"
        : "=r"(alike[b])
        : "r"(number), "r"(1 << b), "r"(detail::minus_one()));
  }
  alike[bits] = all_lanes;
  u32 same = alike[0];
  BITUNE_UNROLL
  for (int b = 1; b < bits; b += 2) {  // two at once, which the compiler does not see behind conditions
    asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(same) : "r"(alike[b]), "r"(alike[b + 1]));
  }
  return same;
}

/// Lanes of the warp before this one.
BITUNE_DEVICE u32 lanes_before() {
  u32 lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  return lanes;
}

/// Orders memory among the lanes of the warp, all of which take part in a vote next. On the emulated device the vote itself orders it.
BITUNE_DEVICE void order_before_vote() { sync_warp(); }

}  // namespace bitune
