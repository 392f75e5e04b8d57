#pragma once

// Sorted runs in memory, and searches in them.

#include "kernels/codec.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The sorted runs of one row: `count` of `length` words each, the last one maybe shorter.
template <class Raw>
struct Runs {
  const Raw* words;
  u64 n;
  u32 length;
  u32 count;

  BITUNE_DEVICE Runs(const Raw* all, u64 n_, u32 run_length)
      : words(all), n(n_), length(run_length), count(static_cast<u32>((n_ + run_length - 1) / run_length)) {}
  BITUNE_DEVICE const Raw* begin(u32 run) const { return words + u64{run} * length; }
  BITUNE_DEVICE u32 size(u32 run) const { return items_in_tile(u64{run} * length, n, length); }
};

/// Places of the first keys not below each of the ascending `pivots` in the window [low, high) of a sorted run. In a long
/// window one search serves all pivots as long as they go the same way; then all go in step, so that their loads overlap.
template <int N, class Raw, class Word>
BITUNE_DEVICE void places_in_window(const Raw* run, u32 low, u32 high, const Word (&pivots)[N], u32 (&places)[N]) {
  u32 size = high - low;
  constexpr u32 is_long = 32;
  if (size > is_long) {
    if (run[low] >= pivots[N - 1]) {
      size = 0;
    } else if (run[high - 1] < pivots[0]) {
      low = high;
      size = 0;
    }
  }
  while (size > is_long) {
    const u32 half = (size + 1) / 2;
    const Word key = run[low + half - 1];
    if (key < pivots[N - 1]) {
      if (key >= pivots[0]) break;
      low += half;
    }
    size -= half;
  }
  BITUNE_UNROLL
  for (int i = 0; i < N; ++i) places[i] = low;
  while (size > 0) {
    const u32 half = (size + 1) / 2;  // the last turn looks at the one key that is left
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) {
      if (run[places[i] + half - 1] < pivots[i]) places[i] += half;
    }
    size -= half;
  }
}

}  // namespace bitune
