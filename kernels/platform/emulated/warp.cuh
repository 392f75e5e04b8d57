#pragma once

/// \file
/// Barriers of a block, and what the lanes of a warp tell each other, on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

// --- Barriers and shuffles ---

BITUNE_DEVICE void sync_block() { detail::services->sync_block(); }

BITUNE_DEVICE void sync_part(u32 part, u32 threads) { detail::services->sync_part(part, threads); }

BITUNE_DEVICE void sync_warp(u32 mask = all_lanes) { detail::services->sync_warp(mask); }

template <typename T>
BITUNE_DEVICE T shuffle(T value, u32 source_lane) {
  static_assert(sizeof(T) <= 8);
  T received;
  detail::services->shuffle(&value, &received, sizeof(T), source_lane);
  return received;
}

template <typename T>
BITUNE_DEVICE T shuffle_xor(T value, u32 lane_mask) {
  return shuffle(value, lane() ^ lane_mask);
}

template <typename T, u32 N>
BITUNE_DEVICE void shuffle_xor_each(const T (&values)[N], u32 lane_mask, T (&received)[N]) {
  detail::services->shuffle(values, received, sizeof(values), lane() ^ lane_mask);
}

template <u32 N>
BITUNE_DEVICE void warp_sum_each(u32 (&values)[N]) {
  detail::services->add_up(values, N);
}

template <u32 N>
BITUNE_DEVICE void warp_sum_each(float (&values)[N]) {
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    float partner[N];
    shuffle_xor_each(values, distance, partner);
    for (u32 i = 0; i < N; ++i) values[i] += partner[i];
  }
}

// --- Votes ---

BITUNE_DEVICE bool all_of_warp(bool condition) {
  u32 misses[1] = {condition ? 0u : 1u};
  warp_sum_each(misses);
  return misses[0] == 0;
}

BITUNE_DEVICE u32 lanes_where(bool condition) {
  u32 lanes[1] = {condition ? u32{1} << lane() : 0};
  warp_sum_each(lanes);
  return lanes[0];
}

BITUNE_DEVICE u32 lanes_alike(u32 value) { return detail::services->lanes_alike(value); }

template <int bits>
BITUNE_DEVICE u32 lanes_of_same_bits(u32 number) {
  u32 votes[bits];  // those of all lanes, once each lane's own is added
  for (int b = 0; b < bits; ++b) votes[b] = (number >> b & 1) << lane();
  warp_sum_each(votes);
  u32 same = all_lanes;
  for (int b = 0; b < bits; ++b) same &= (number >> b & 1) != 0 ? votes[b] : ~votes[b];
  return same;
}

BITUNE_DEVICE u32 lanes_before() { return (u32{1} << lane()) - 1; }

BITUNE_DEVICE void order_before_vote() {}

}  // namespace bitune
