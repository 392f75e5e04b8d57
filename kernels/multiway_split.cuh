#pragma once

// Exact splitting: the second of the multiway variant's three kernels. For each rank at which a bucket begins it finds how
// many keys of every run come before it, so that all buckets but the last have the same number of keys whatever the input.
// Equal keys are told apart by their run and their place in it.
//
// A block splits at one rank. It narrows an interval of values [low, high] that holds the key of that rank; with it goes,
// for every run, the window of places whose keys lie in the interval. A round counts the keys below each of `pivots`
// values inside the interval - a binary search in every window, and a sum over the runs - and keeps the part between
// two of them. P. J. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", J. Parallel Distrib.
// Comput. 12 (1991), treats the problem; narrowing by values needs no order among the runs' candidates.

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

  BITUNE_DEVICE const Raw* begin(u32 run) const { return words + u64{run} * length; }
  BITUNE_DEVICE u32 size(u32 run) const { return items_in_tile(u64{run} * length, n, length); }
};

/// For every boundary between buckets the places where the runs are cut: a matrix of boundaries by runs. Boundary 0 and
/// the one after the last bucket are the runs' ends, and not stored.
template <class Raw>
struct Splits {
  Runs<Raw> runs;
  const u32* places;
  u32 buckets;

  /// Where the matrix of `row` begins, and where in it the places of a boundary do.
  BITUNE_DEVICE static u64 matrix(u64 row, u32 buckets, u32 run_count) { return row * (u64{buckets - 1} * run_count); }
  BITUNE_DEVICE u64 boundary(u32 index) const { return u64{index - 1} * runs.count; }

  BITUNE_DEVICE u32 get(u32 index, u32 run) const {
    if (index == 0) return 0;
    return index >= buckets ? runs.size(run) : places[boundary(index) + run];
  }
};

/// Numbers of keys below each of the ascending `pivots` in the window [low, high) of a sorted run: all searches go in step,
/// so that their loads overlap.
template <int N, class Raw, class Word>
BITUNE_DEVICE void places_in_window(const Raw* run, u32 low, u32 high, const Word (&pivots)[N], u32 (&places)[N]) {
  BITUNE_UNROLL
  for (int i = 0; i < N; ++i) places[i] = low;
  for (u32 size = high - low; size > 0;) {
    const u32 half = (size + 1) / 2;  // the last round looks at the one key that is left
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) {
      if (run[places[i] + half - 1] < pivots[i]) places[i] += half;
    }
    size -= half;
  }
}

/// Splits all runs of every row at the boundaries that are multiples of `step` but not of `parent_step`; those are
/// there already and bound the search (parent_step 0: there are none). Buckets have bucket_length keys. Grid: a block a
/// boundary of this level, blocks_per_row blocks a row. Dynamic shared memory: 16 bytes and the words of
/// BlockPrefixSum and BlockSum for every warp, and 2 + pivots u32 for every run.
template <int bytes, int nt, int pivots>
BITUNE_KERNEL(nt, 1)
multiway_split(u32* splits, const typename Storage<bytes>::Raw* words, u64 n, u32 run_length, u32 bucket_length,
               u32 step, u32 parent_step, u64, u32 blocks_per_row) {
  using Raw = typename Storage<bytes>::Raw;
  using Word = typename Storage<bytes>::Word;
  constexpr int warps = nt / warp_size;
  const RowOfBlock place(blocks_per_row);
  const u32 run_count = static_cast<u32>((n + run_length - 1) / run_length);
  const Runs<Raw> runs{words + place.row * n, n, run_length, run_count};
  const u32 buckets = static_cast<u32>((n + bucket_length - 1) / bucket_length);
  splits += Splits<Raw>::matrix(place.row, buckets, run_count);
  const Splits<Raw> known{runs, splits, buckets};

  Word* const extremes = shared_memory<Word>();
  u32* const prefix_scratch = shared_memory<u32>() + 4 * warps;
  u32* const sum_scratch = prefix_scratch + BlockPrefixSum<nt>::words;
  u32* const low = sum_scratch + BlockSum<nt, pivots>::words;
  u32* const high = low + run_count;
  u32* const middle = high + run_count;  // [pivot][run]
  BlockSum<nt, pivots> sum(sum_scratch);

  u32 boundary = (place.block + 1) * step;
  u32 before = 0;
  u32 after = buckets;
  begin_dependent_launch();
  if (parent_step != 0) {
    const u32 between = parent_step / step - 1;  // boundaries of this level between two of the parent level
    before = place.block / between * parent_step;
    boundary = before + (place.block % between + 1) * step;
    after = before + parent_step;
  }
  if (boundary >= buckets) return;

  // The windows, and the least and the greatest key in them. Each thread looks after every nt-th run.
  Word least = ~Word{0};
  Word greatest = 0;
  u32 inside_before[pivots] = {};  // keys before the windows; the other sums are not used
  for (u32 run = thread_index(); run < run_count; run += nt) {
    low[run] = known.get(before, run);
    high[run] = known.get(after, run);
    inside_before[0] += low[run];
    if (low[run] < high[run]) {
      least = minimum(least, Word{runs.begin(run)[low[run]]});
      greatest = maximum(greatest, Word{runs.begin(run)[high[run] - 1]});
    }
  }
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    least = minimum(least, shuffle_xor(least, distance));
    greatest = maximum(greatest, shuffle_xor(greatest, distance));
  }
  if (lane() == 0) {
    extremes[2 * warp_index()] = least;
    extremes[2 * warp_index() + 1] = greatest;
  }
  sum(inside_before);  // its barrier serves the extremes too
  for (int warp = 0; warp < warps; ++warp) {
    least = minimum(least, extremes[2 * warp]);
    greatest = maximum(greatest, extremes[2 * warp + 1]);
  }

  // Invariant: the key of this rank is in [least, greatest], and a run's window has exactly its keys in that interval
  // (of those between the parents).
  const u32 rank = boundary * bucket_length;
  u32 below = inside_before[0];  // keys before all windows: they come before the boundary
  while (least < greatest && below != rank) {
    const Word stride = maximum<Word>((greatest - least) / (pivots + 1), 1);
    Word pivot[pivots];
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      const Word distance = stride * static_cast<Word>(i + 1);
      pivot[i] = least + minimum<Word>(distance, greatest - least);
    }
    u32 count[pivots] = {};
    for (u32 run = thread_index(); run < run_count; run += nt) {
      u32 places[pivots];
      places_in_window(runs.begin(run), low[run], high[run], pivot, places);
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        middle[i * run_count + run] = places[i];
        count[i] += places[i];
      }
    }
    sum(count);
    // The pivots that at most `rank` keys are below of: the interval begins at the last of them and ends before the next.
    int lower = -1;
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      if (count[i] <= rank) {
        lower = i;
        below = count[i];
        least = pivot[i];
      }
    }
    BITUNE_UNROLL
    for (int i = pivots - 1; i >= 0; --i) {
      if (count[i] > rank) greatest = pivot[i] - 1;
    }
    for (u32 run = thread_index(); run < run_count; run += nt) {
      if (lower >= 0) low[run] = middle[lower * run_count + run];
      if (lower + 1 < pivots) high[run] = middle[(lower + 1) * run_count + run];
    }
  }

  // All keys left in the windows are equal, or none of them is needed: they are taken run by run.
  const u32 needed = rank - below;
  BlockPrefixSum<nt> equal_before(prefix_scratch);
  u32* const result = splits + known.boundary(boundary);
  for (u32 base = 0; base < run_count; base += nt) {
    const u32 run = base + thread_index();
    const u32 equal = run < run_count && needed > 0 ? high[run] - low[run] : 0;
    const u32 first = equal_before(equal);
    const u32 taken = needed > first ? minimum(needed - first, equal) : 0;
    if (run < run_count) result[run] = low[run] + taken;
  }
}

}  // namespace bitune
