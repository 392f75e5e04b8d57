#pragma once

// Buckets: what the multiway variant's last pass over the array sorts (multiway_sort.cuh). A bucket lies between two boundaries. It has a
// piece of each run. A block, or a cluster of blocks, gathers the pieces.

#include "kernels/multiway/multiway_split.cuh"
#include "kernels/multiway/window_splitter.cuh"

namespace bitune {

/// Copies a block's share of a bucket into shared memory: the places [begin, end) of the pieces [cuts[run], ends[run]) of all runs, one
/// behind the other. Every `lanes` threads fill an equal part, however long the pieces are. Afterwards ends[run] is the place in the bucket
/// where the piece ends. No barrier follows. scratch: GroupPrefixSum's, and a u32 for every part (layout::piece_words).
template <class Tile, int nt, int lanes, class Raw, class Word>
BITUNE_DEVICE void gather_pieces(const Runs<Raw>& runs, u32 begin, u32 end, const u32* cuts, u32* ends, Word* tile, u32* scratch) {
  constexpr u32 part = Tile::nv / (nt / lanes);
  GroupPrefixSum<ThreadGroup<nt, 1>> keys_before(scratch);
  u32* const first_runs = scratch + keys_before.words;  // in which each part begins
  for (u32 base = 0; base < runs.count; base += nt) {
    const u32 run = base + thread_index();
    const u32 length = run < runs.count ? ends[run] - cuts[run] : 0;
    const u32 before = keys_before(length);
    if (run < runs.count) ends[run] = before + length;
    const u32 of_share = before > begin ? before - begin : 0;
    for (u32 i = (of_share + part - 1) / part; i * part < Tile::nv && begin + i * part < before + length; ++i) first_runs[i] = run;
  }
  sync_block();
  const u32 part_begin = begin + thread_index() / lanes * part;
  const u32 part_end = minimum(part_begin + part, end);
  u32 run = part_begin < part_end ? first_runs[thread_index() / lanes] : 0;
  for (u32 at = part_begin; at < part_end; ++run) {
    const u32 piece_begin = run == 0 ? 0 : ends[run - 1];
    const u32 piece_end = minimum(ends[run], part_end);
    const Raw* piece = runs.begin(run) + cuts[run];
    for (u32 i = at + thread_index() % lanes; i < piece_end; i += lanes) {
      if constexpr (sizeof(Raw) == sizeof(Word)) {
        cp_async(tile + Tile::padded(i - begin), piece + (i - piece_begin));
      } else {
        tile[Tile::padded(i - begin)] = piece[i - piece_begin];
      }
    }
    at = piece_end;
  }
  cp_async_wait_all();
}

/// Splitter, or (window > 0) WindowSplitter: for both ends of a bucket, by half of a block's threads each.
template <class Word, class Raw, class Numbers, int nt, int pivots, int window>
struct EndSplitter {
  using Splitter = WindowSplitter<Word, Raw, Numbers, nt, 2, pivots, window>;

  BITUNE_DEVICE static void split(u32* memory, const Runs<Raw>& runs, u32 rank, u32* low) {
    Splitter(memory, runs.count)(runs, rank, low);
  }
};

template <class Word, class Raw, class Numbers, int nt, int pivots>
struct EndSplitter<Word, Raw, Numbers, nt, pivots, 0> {
  using Splitter = bitune::Splitter<Word, Numbers, nt, 2, pivots>;

  BITUNE_DEVICE static void split(u32* memory, const Runs<Raw>& runs, u32 rank, u32* low) {
    for (u32 run = Splitter::Group::thread(); run < runs.count; run += Splitter::Group::threads) low[run] = 0;
    Splitter(memory, runs.count)(runs, rank, 0, runs.n, low, [&](u32 run) { return runs.size(run); });
  }
};

/// Gathers what a block sorts of the bucket `bucket`: its encoded words at the places [begin, end), in any order, and padding where there are
/// fewer. The boundaries are in `splits`, of row `row`. With pivots > 0 each block finds those of its bucket itself, one with each half of
/// its threads. Tile: the block's. Shared memory: the larger of its shared_words and EndSplitter's, then 2 u32 for every run, then what
/// gather_pieces needs.
template <class Codec, class Payload, class Tile, int nt, int vt, int lanes, int pivots, int window>
BITUNE_DEVICE void gather_bucket(const Runs<typename Codec::Raw>& runs, const u32* splits, u64 row, u32 bucket, u32 begin, u32 end,
                                 Item<Codec, Payload> (&items)[vt]) {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  Word* const tile = shared_memory<Word>();
  u32* cuts = shared_memory<u32>() + Tile::shared_words * (sizeof(Word) / sizeof(u32));
  u32* ends = cuts + runs.count;
  if constexpr (pivots == 0) {
    const Splits<Raw, const u32> known(runs, row, splits);
    for (u32 run = thread_index(); run < runs.count; run += nt) {
      cuts[run] = known.get(bucket, run);
      ends[run] = known.get(bucket + 1, run);
    }
  } else {
    using Both = EndSplitter<Word, Raw, KeyNumbers<Codec>, nt, pivots, window>;
    const u32 group = Both::Splitter::Group::index();
    u32* const memory = shared_memory<u32>();
    u32* const behind = memory + Both::Splitter::fixed_words + Both::Splitter::words_per_run * runs.count;
    if (behind > cuts) cuts = behind;
    ends = cuts + runs.count;
    Both::split(memory, runs, rank_of_bucket(bucket + group, runs), group == 0 ? cuts : ends);
    sync_block();
  }
  gather_pieces<Tile, nt, lanes>(runs, begin, end, cuts, ends, tile, ends + runs.count);
  for (u32 i = (begin < end ? end - begin : 0) + thread_index(); i < Tile::nv; i += nt) tile[Tile::padded(i)] = Codec::padding;
  sync_block();
  // Their order does not matter yet: each thread takes those at the places that it writes to first.
  Tile::template read<0, false>(tile, items);
}

}  // namespace bitune
