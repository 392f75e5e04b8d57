#pragma once

// Sorted runs in memory: which keys of an array they take, and searches in them.

#include "kernels/network/codec.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// How an array is dealt to its runs. In each round each run gets a chunk of whole sectors of memory. Which run is first in a round changes
/// by the golden ratio. So runs are alike, not only of random keys, but also of keys that are sorted already, or that come in periods. And
/// where runs are alike, it is easy to say where in each of them a rank is (splitter.cuh). The runs' sizes differ by a chunk at most.
template <class Raw>
struct Deal {
  u32 runs;
  u32 chunk;   ///< keys: 64 bytes, or 128 where runs are long enough to be alike all the same
  u32 rounds;  ///< in which every run gets a whole chunk
  u32 rest;    ///< keys of the round after these

  /// Of n keys, to runs of at most `length`.
  BITUNE_DEVICE Deal(u32 n, u32 length, u32 run_count)
      : runs(run_count),
        chunk((length < 4096 ? 64 : 128) / sizeof(Raw)),
        rounds(n / (run_count * chunk)),
        rest(n % (run_count * chunk)) {}

  /// How many of the round's chunks lie before the run's.
  BITUNE_DEVICE u32 turn(u32 run, u32 round) const {
    const u32 shifted = run + static_cast<u32>(u64{round * 0x9e3779b9u} * runs >> 32);
    return minimum(shifted, shifted - runs);  // which is large where shifted is below runs
  }

  BITUNE_DEVICE u32 size(u32 run) const {
    const u32 before = turn(run, rounds) * chunk;
    return rounds * chunk + (before < rest ? minimum(rest - before, chunk) : 0);
  }

  /// Where in the array the run's key i is. Keys of one chunk are neighbours.
  BITUNE_DEVICE u32 place(u32 run, u32 i) const {
    const u32 round = i / chunk;
    return (round * runs + turn(run, round)) * chunk + i % chunk;
  }
};

/// The sorted runs of one row: `count` of them, with room for `length` words each, one behind the other.
template <class Raw>
struct Runs {
  const Raw* words;
  u32 n;
  u32 length;
  u32 count;
  Deal<Raw> deal;

  /// Of the row `row`, with the runs of all rows at `all`.
  BITUNE_DEVICE Runs(const Raw* all, u64 row, u64 row_length, u32 run_length, u32 run_count)
      : words(all + row * run_count * run_length),
        n(static_cast<u32>(row_length)),
        length(run_length),
        count(run_count),
        deal(n, run_length, run_count) {}
  BITUNE_DEVICE const Raw* begin(u32 run) const { return words + u64{run} * length; }
  BITUNE_DEVICE u32 size(u32 run) const { return deal.size(run); }
};

/// Places of the first keys not below each of the ascending `pivots` in the window [low, high) of a sorted run, whose key at a
/// place is run[place]. In a long window one search serves all pivots as long as they go the same way; then all go in step, so
/// that their loads overlap.
template <int N, class Keys, class Word>
BITUNE_DEVICE void places_in_window(const Keys& run, u32 low, u32 high, const Word (&pivots)[N], u32 (&places)[N]) {
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
