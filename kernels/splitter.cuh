#pragma once

// Exact splitting of sorted runs: how many keys of every run come before a given rank among all of them. Equal keys are told
// apart by their run and their place in it, so that what lies between two ranks is as many keys on any input.
//
// A group of threads splits at one rank. It narrows an interval of values [least, greatest] that holds the key of that rank;
// with it goes, for every run, the window of places whose keys lie in the interval. A round counts the keys below each of a
// few pivots - a binary search in every window, and a sum over the runs - and keeps the part between two of them. Pivots lie
// where the rank would be if keys were evenly spread over the interval, about as far from each other as such a guess
// errs: of k keys about the square root of k are left. Where a round left more than a quarter of them, keys are not spread so: the
// next round takes pivots that cut the interval into equal parts, and shrinks it to the keys that there are.
//
// P. J. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12
// (1991), treats the problem; narrowing by values needs no order among the runs' candidates.

#include "kernels/block_sum.cuh"
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

/// Places of the first keys not below each of the ascending `pivots` in the window [low, high) of a sorted run. One search
/// serves all pivots as long as they go the same way; then all go in step, so that their loads overlap.
template <int N, class Raw, class Word>
BITUNE_DEVICE void places_in_window(const Raw* run, u32 low, u32 high, const Word (&pivots)[N], u32 (&places)[N]) {
  u32 size = high - low;
  while (size > 0) {
    const u32 half = (size + 1) / 2;  // the last turn looks at the one key that is left
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
    const u32 half = (size + 1) / 2;
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) {
      if (run[places[i] + half - 1] < pivots[i]) places[i] += half;
    }
    size -= half;
  }
}

/// `groups` groups of a block's nt threads, each of which splits at a rank of its own.
template <class Word, int nt, int groups, int pivots>
struct Splitter {
  using Group = ThreadGroup<nt, groups>;
  using Sum = BlockSum<nt, pivots, groups>;
  using PrefixSum = BlockPrefixSum<nt, groups>;
  static constexpr u32 all_warps = nt / warp_size;
  static constexpr u32 extremes_words = 2 * 2 * all_warps * (sizeof(Word) / sizeof(u32));

  /// Shared memory, in u32, aligned as a Word: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = extremes_words + 2 * groups + Sum::words + PrefixSum::words;
  static constexpr u32 words_per_run = groups * (1 + pivots);

  /// What is known of the rank's key.
  struct Interval {
    Word least;
    Word greatest;
    u32 below;  ///< keys before the windows
    u32 end;    ///< and with those in them

    BITUNE_DEVICE bool is_open(u32 rank) const { return least < greatest && below < rank && rank < end; }
  };

  Word* extremes;  // [turn][warp][least, greatest]
  u32* open;       // [turn][group]
  Sum sum;
  PrefixSum prefix_sum;
  u32* high;    // of the group: [run]
  u32* middle;  // of the group: [pivot][run]

  BITUNE_DEVICE Splitter(u32* memory, u32 run_count)
      : extremes(reinterpret_cast<Word*>(memory)),
        open(memory + extremes_words),
        sum(open + 2 * groups),
        prefix_sum(sum.shared + Sum::words),
        high(prefix_sum.shared + PrefixSum::words + Group::index() * (1 + pivots) * run_count),
        middle(high + run_count) {}

  BITUNE_DEVICE void publish(u32 turn, Word least, Word greatest) {
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      least = minimum(least, shuffle_xor(least, distance));
      greatest = maximum(greatest, shuffle_xor(greatest, distance));
    }
    if (lane() != 0) return;
    Word* const mine = extremes + 2 * (turn * all_warps + warp_index());
    mine[0] = least;
    mine[1] = greatest;
  }

  /// Shrinks the interval to what the group's warps have published.
  BITUNE_DEVICE void shrink(u32 turn, Interval& interval) const {
    Word least = ~Word{0};
    Word greatest = 0;
    const Word* published = extremes + 2 * (turn * all_warps + Group::first_warp());
    for (u32 warp = 0; warp < Group::warps; ++warp) {
      least = minimum(least, published[2 * warp]);
      greatest = maximum(greatest, published[2 * warp + 1]);
    }
    interval.least = maximum(interval.least, least);
    interval.greatest = minimum(interval.greatest, greatest);
  }

  /// Ascending pivots in (least, greatest].
  BITUNE_DEVICE static void choose(const Interval& interval, u32 rank, bool evenly, Word (&pivot)[pivots]) {
    const Word range = interval.greatest - interval.least;
    Word first;
    Word distance;
    if (evenly) {
      distance = maximum<Word>(range / (pivots + 1), 1);
      first = distance;
    } else {
      const u32 inside = interval.end - interval.below;
      const float share = minimum(static_cast<float>(rank - interval.below) / static_cast<float>(inside), 0.9999f);
      const Word guess = static_cast<Word>(share * static_cast<float>(range));
      const Word error = range >> (bit_length(inside) / 2);
      distance = maximum<Word>(2 * error / (pivots - 1), 1);
      first = guess > error ? guess - error : 1;
    }
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      const Word further = minimum<Word>(distance * static_cast<Word>(i), range - first);
      pivot[i] = interval.least + first + further;
    }
  }

  /// Splits the runs at `rank`, one of each group, between known places. low, in shared memory: for every run, the places of a
  /// lower rank, and the result; high_of(run): those of a higher rank; below, end: these ranks. Thread t of the group is who
  /// reads and writes the places of the runs t, t + threads, ...; no barrier follows. All threads of the block take part.
  template <class Raw, class High>
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32 below, u32 end, u32* low, const High& high_of) {
    Word first = ~Word{0};
    Word last = 0;
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      high[run] = high_of(run);
      if (low[run] < high[run]) {
        first = minimum(first, Word{runs.begin(run)[low[run]]});
        last = maximum(last, Word{runs.begin(run)[high[run] - 1]});
      }
    }
    Interval interval{0, ~Word{0}, below, end};
    publish(1, first, last);
    sync_block();
    shrink(1, interval);

    // Invariant: the key of the rank is in [least, greatest], and a run's window has exactly its keys in that interval (of
    // those between the known places).
    bool evenly = false;
    for (u32 turn = 0;; turn ^= 1) {
      const bool mine = interval.is_open(rank);
      if (Group::thread() == 0) open[turn * groups + Group::index()] = mine;
      Word pivot[pivots];
      u32 count[pivots] = {};
      if (mine) {
        choose(interval, rank, evenly, pivot);
        first = ~Word{0};
        last = 0;
        for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
          const Raw* keys = runs.begin(run);
          if (evenly && low[run] < high[run]) {
            first = minimum(first, Word{keys[low[run]]});
            last = maximum(last, Word{keys[high[run] - 1]});
          }
          u32 places[pivots];
          places_in_window(keys, low[run], high[run], pivot, places);
          BITUNE_UNROLL
          for (int i = 0; i < pivots; ++i) {
            middle[i * runs.count + run] = places[i];
            count[i] += places[i];
          }
        }
        if (evenly) publish(turn, first, last);
      }
      sum(count);
      u32 going = 0;
      for (int group = 0; group < groups; ++group) going |= open[turn * groups + group];
      if (going == 0) break;
      if (!mine) continue;

      // The pivots that at most `rank` keys are below of: the interval begins at the last of them, and ends before the next.
      const u32 inside = interval.end - interval.below;
      int lower = -1;
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        if (count[i] <= rank) {
          lower = i;
          interval.below = count[i];
          interval.least = pivot[i];
        }
      }
      BITUNE_UNROLL
      for (int i = pivots - 1; i >= 0; --i) {
        if (count[i] > rank) {
          interval.end = count[i];
          interval.greatest = pivot[i] - 1;
        }
      }
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        if (lower >= 0) low[run] = middle[lower * runs.count + run];
        if (lower + 1 < pivots) high[run] = middle[(lower + 1) * runs.count + run];
      }
      if (evenly) shrink(turn, interval);
      evenly = !evenly && interval.end - interval.below > inside / 4;
    }

    // All keys left in the windows are equal, or all or none of them are needed: they are taken run by run.
    const u32 needed = rank - interval.below;
    for (u32 base = 0; base < runs.count; base += Group::threads) {
      const u32 run = base + Group::thread();
      const u32 window = run < runs.count && needed > 0 ? high[run] - low[run] : 0;
      const u32 before = prefix_sum(window);
      if (run < runs.count && needed > before) low[run] += minimum(needed - before, window);
    }
  }
};

}  // namespace bitune
