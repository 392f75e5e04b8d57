#pragma once

// Splits: the second of the multiway variant's kernels, where buckets do not split the runs themselves. For each rank at which a
// bucket begins a block finds how many keys of every run come before it.

#include "kernels/multiway/splitter.cuh"
#include "kernels/network/launch.cuh"

namespace bitune {

/// For every boundary between buckets the places where the runs are cut: a matrix of boundaries by runs. Boundary 0 and
/// the one after the last bucket are the runs' ends, and not stored.
template <class Raw, class Place>
struct Splits {
  Runs<Raw> runs;
  u32 buckets;
  Place* places;

  /// Of the row `row`, with the matrices of all rows at `all`. There are as many buckets as runs.
  BITUNE_DEVICE Splits(const Runs<Raw>& of, u64 row, Place* all)
      : runs(of),
        buckets(of.count),
        places(all + row * (u64{buckets - 1} * of.count)) {}

  /// The places of a boundary that is stored.
  BITUNE_DEVICE Place* boundary(u32 index) const { return places + u64{index - 1} * runs.count; }

  BITUNE_DEVICE u32 get(u32 index, u32 run) const {
    if (index == 0) return 0;
    return index >= buckets ? runs.size(run) : boundary(index)[run];
  }
};

/// The rank at which a bucket begins, each of which has as many keys as a run has room for; n for what is beyond the last one.
template <class Raw>
BITUNE_DEVICE u32 rank_of_bucket(u32 bucket, const Runs<Raw>& runs) {
  return static_cast<u32>(minimum<u64>(u64{bucket} * runs.length, runs.n));
}

/// Splits all runs of every row at the boundaries that are multiples of `step` but not of `parent_step`; those are
/// there already and bound the search (parent_step 0: there are none). A block splits at `chain` of them, one behind the other,
/// each from where the one before is: that is near, and in the caches. Grid: a block for every `chain` boundaries of this
/// level, blocks_per_row blocks a row. Dynamic shared memory: Splitter's, and a u32 for every run.
/// Words: the codec of the words.
/// It waits for loads most of the time: as many warps fit a multiprocessor as the registers of few pivots allow.
template <class Words, int nt, int pivots, int chain>
BITUNE_KERNEL(nt, (Words::bytes > 4 || nt > 256 || pivots > 5 ? 1 : (pivots > 3 ? 768 : 1024) / nt))
multiway_split(u32* splits, const typename Words::Raw* words, u64 n, u32 run_length, u32 run_count,
               u32 step, u32 parent_step, u64, u32 blocks_per_row) {
  using Raw = typename Words::Raw;
  using RunSplitter = Splitter<typename Words::Word, KeyNumbers<Words>, nt, 1, pivots>;
  const RowOfBlock place(blocks_per_row);
  const Runs<Raw> runs(words, place.row, n, run_length, run_count);
  const Splits<Raw, u32> known(runs, place.row, splits);
  u32* const memory = shared_memory<u32>();
  u32* const cuts = memory + RunSplitter::fixed_words + RunSplitter::words_per_run * runs.count;
  begin_launch();

  u32 from = 0;  // the boundary before, and its parent; none yet
  u32 parent = known.buckets;
  for (u32 i = place.block * chain; i < (place.block + 1) * chain; ++i) {
    u32 before = 0;
    u32 boundary = (i + 1) * step;
    u32 after = known.buckets;
    if (parent_step != 0) {
      const u32 between = parent_step / step - 1;  // boundaries of this level between two of the parent level
      before = i / between * parent_step;
      boundary = before + (i % between + 1) * step;
      after = before + parent_step;
    }
    if (boundary >= known.buckets) return;
    if (parent != before) {
      parent = before;
      from = before;
      for (u32 run = thread_index(); run < runs.count; run += nt) cuts[run] = known.get(before, run);
    }
    RunSplitter(memory, runs.count)(
        runs, rank_of_bucket(boundary, runs), rank_of_bucket(from, runs), rank_of_bucket(after, runs), cuts,
        [&](u32 run) { return known.get(after, run); });
    u32* const result = known.boundary(boundary);
    for (u32 run = thread_index(); run < runs.count; run += nt) result[run] = cuts[run];
    from = boundary;
  }
}

}  // namespace bitune
