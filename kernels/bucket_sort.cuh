#pragma once

// Buckets: the last of the multiway variant's kernels. A bucket is what lies between two boundaries, in pieces of all
// runs: a block, or a cluster of them, gathers these, sorts them in registers and writes them to their place in the array.

#include "kernels/grid_barrier.cuh"
#include "kernels/multiway_split.cuh"
#include "kernels/run_sort.cuh"

namespace bitune {

/// Copies what a block holds of a bucket, its share, into shared memory: the places [begin, end) of the pieces
/// [cuts[run], ends[run]) of all runs, one behind the other. Every `lanes` threads fill an equal part, however long the pieces
/// are. Turns ends[run] into where the piece ends. No barrier follows. scratch: GroupPrefixSum's, and a u32 for every part.
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

/// Sorts a bucket of ranks * nt * vt keys of a row from the sorted runs into `keys`, rows row_stride keys apart. The last
/// bucket of a row may be shorter. The boundaries are in `splits`; with pivots > 0 each block finds those of its bucket itself,
/// half of its threads each. Each bucket is the work of a cluster of `ranks` blocks, blocks_per_row blocks a row. Shared memory: the
/// larger of RegisterTile::shared_words words and Splitter's, then 2 u32 for every run, then what gather_pieces needs.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, bool late, int ranks,
          int lanes, int pivots>
BITUNE_DEVICE void sort_bucket(typename Codec::Raw* keys, const typename Codec::Raw* words, const u32* splits, u64 n, u32 run_length,
                               u64 row_stride, u32 blocks_per_row) {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps, ranks>;
  using Share = typename Tile::Block;
  using Output = StripedTile<Codec, Payload, nt, vt, vector>;
  constexpr u32 bucket_length = ranks * Share::nv;
  const RowOfBlock place(blocks_per_row);
  const u32 bucket = place.block / ranks;
  const u64 bucket_begin = u64{bucket} * bucket_length;
  const u32 bucket_count = items_in_tile(bucket_begin, n, bucket_length);
  const u32 begin = place.block % ranks * Share::nv;  // of the share, in its bucket
  const u32 end = minimum(begin + Share::nv, bucket_count);
  const u32 count = ranks == 1 || begin < end ? end - begin : 0;
  const Runs<Raw> runs(words + place.row * n, n, run_length);
  Word* const tile = shared_memory<Word>();
  u32* cuts = shared_memory<u32>() + Share::shared_words * (sizeof(Word) / sizeof(u32));
  u32* ends = cuts + runs.count;
  LaunchOrder<late>::begin();
  if constexpr (pivots == 0) {
    const Splits<Raw, const u32> known(runs, place.row, bucket_length, splits);
    for (u32 run = thread_index(); run < runs.count; run += nt) {
      cuts[run] = known.get(bucket, run);
      ends[run] = known.get(bucket + 1, run);
    }
  } else {
    using RunSplitter = Splitter<Word, nt, 2, pivots>;
    using Group = typename RunSplitter::Group;
    u32* const memory = shared_memory<u32>();
    u32* const behind = memory + RunSplitter::fixed_words + RunSplitter::words_per_run * runs.count;
    if (behind > cuts) cuts = behind;
    ends = cuts + runs.count;
    u32* const mine = Group::index() == 0 ? cuts : ends;
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) mine[run] = 0;
    RunSplitter(memory, runs.count)(runs, rank_of_bucket(bucket + Group::index(), bucket_length, runs), 0,
                                    static_cast<u32>(n), mine, [&](u32 run) { return runs.size(run); });
    sync_block();
  }
  gather_pieces<Share, nt, lanes>(runs, begin, end, cuts, ends, tile, ends + runs.count);
  for (u32 i = count + thread_index(); i < Share::nv; i += nt) tile[Share::padded(i)] = Codec::padding;
  sync_block();
  // Their order is of no matter yet: each thread takes the places that it writes first.
  Word items[vt];
  Share::template read<0, false>(tile, items);
  Tile::sort(tile, items);
  Share::template to_striped<vector>(tile, items);
  LaunchOrder<late>::before_stores();
  Output::store(keys + place.row * row_stride + bucket_begin + begin, count, items);
}

/// sort_bucket for every bucket. Grid: a cluster of `ranks` blocks for every bucket, blocks_per_row blocks a row.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks,
          bool late, int ranks, int lanes, int pivots>
BITUNE_KERNEL(nt, min_blocks)
bucket_sort(typename Codec::Raw* keys, const typename Codec::Raw* words, const u32* splits, u64 n, u32 run_length,
            u64 row_stride, u32 blocks_per_row) {
  sort_bucket<Codec, Payload, nt, vt, shuffle_steps, vector, imad_quarters, late, ranks, lanes, pivots>(
      keys, words, splits, n, run_length, row_stride, blocks_per_row);
}

/// Runs and buckets in one launch, all of whose blocks are resident at once: a block sorts a run each, then a bucket each. Grid and
/// shared memory as bucket_sort with pivots > 0, ranks 1. barrier: GridBarrier's.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks, int lanes,
          int pivots>
BITUNE_KERNEL(nt, min_blocks)
cooperative_multiway(typename Codec::Raw* keys, const typename Codec::Raw* input, typename Codec::Raw* runs, u64* barrier, u64 n,
                     u32 run_length, u64 row_stride, u32 blocks_per_row) {
  const GridBarrier between(barrier);
  sort_run<Codec, Payload, nt, vt, shuffle_steps, vector, imad_quarters, false, 1>(runs, input, n, row_stride, blocks_per_row);
  between.sync();
  sort_bucket<Codec, Payload, nt, vt, shuffle_steps, vector, imad_quarters, false, 1, lanes, pivots>(
      keys, runs, nullptr, n, run_length, row_stride, blocks_per_row);
}

}  // namespace bitune
