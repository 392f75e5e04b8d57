#pragma once

// Buckets: the last of the multiway variant's kernels. A bucket is what lies between two boundaries, in pieces of all
// runs: a block gathers them, sorts them in registers and writes them to their place in the array.

#include "kernels/multiway_split.cuh"
#include "kernels/run_sort.cuh"

namespace bitune {

/// Copies the pieces [cuts[run], ends[run]) of all runs, `count` keys, into shared memory, one behind the other. Every `lanes`
/// threads fill an equal part of the tile, however long the pieces are. Turns ends[run] into where the piece ends in
/// the tile. No barrier follows. scratch: GroupPrefixSum's, and a u32 for every part.
template <class Tile, int nt, int lanes, class Raw, class Word>
BITUNE_DEVICE void gather_pieces(const Runs<Raw>& runs, u32 count, const u32* cuts, u32* ends, Word* tile, u32* scratch) {
  constexpr u32 part = Tile::nv / (nt / lanes);
  GroupPrefixSum<ThreadGroup<nt, 1>> keys_before(scratch);
  u32* const first_runs = scratch + keys_before.words;  // in which each part begins
  for (u32 base = 0; base < runs.count; base += nt) {
    const u32 run = base + thread_index();
    const u32 length = run < runs.count ? ends[run] - cuts[run] : 0;
    const u32 before = keys_before(length);
    if (run < runs.count) ends[run] = before + length;
    for (u32 i = (before + part - 1) / part; i * part < before + length; ++i) first_runs[i] = run;
  }
  sync_block();
  const u32 begin = thread_index() / lanes * part;
  const u32 end = minimum(begin + part, count);
  u32 run = begin < end ? first_runs[thread_index() / lanes] : 0;
  for (u32 at = begin; at < end; ++run) {
    const u32 piece_begin = run == 0 ? 0 : ends[run - 1];
    const u32 piece_end = minimum(ends[run], end);
    const Raw* piece = runs.begin(run) + cuts[run];
    for (u32 i = at + thread_index() % lanes; i < piece_end; i += lanes) {
      if constexpr (sizeof(Raw) == sizeof(Word)) {
        cp_async(tile + Tile::padded(i), piece + (i - piece_begin));
      } else {
        tile[Tile::padded(i)] = piece[i - piece_begin];
      }
    }
    at = piece_end;
  }
  cp_async_wait_all();
}

/// Sorts each bucket of nt * vt keys of every row from the sorted runs into `keys`, rows row_stride keys apart. The last bucket of
/// a row may be shorter. The boundaries are in `splits`; with pivots > 0 each block finds those of its bucket itself, half of its
/// threads each. Grid: one block a bucket, blocks_per_row blocks a row. Dynamic shared memory: the larger of
/// RegisterTile::shared_words words and Splitter's, then 2 u32 for every run, then what gather_pieces needs.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks,
          bool late, int lanes, int pivots>
BITUNE_KERNEL(nt, min_blocks)
bucket_sort(typename Codec::Raw* keys, const typename Codec::Raw* words, const u32* splits, u64 n, u32 run_length,
            u64 row_stride, u32 blocks_per_row) {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Output = StripedTile<Codec, Payload, nt, vt, vector>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  const Runs<Raw> runs(words + place.row * n, n, run_length);
  Word* const tile = shared_memory<Word>();
  u32* cuts = shared_memory<u32>() + Tile::shared_words * (sizeof(Word) / sizeof(u32));
  u32* ends = cuts + runs.count;
  LaunchOrder<late>::begin();
  if constexpr (pivots == 0) {
    const Splits<Raw, const u32> known(runs, place.row, Tile::nv, splits);
    for (u32 run = thread_index(); run < runs.count; run += nt) {
      cuts[run] = known.get(place.block, run);
      ends[run] = known.get(place.block + 1, run);
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
    RunSplitter(memory, runs.count)(runs, rank_of_bucket(place.block + Group::index(), Tile::nv, runs), 0,
                                    static_cast<u32>(n), mine, [&](u32 run) { return runs.size(run); });
    sync_block();
  }
  gather_pieces<Tile, nt, lanes>(runs, count, cuts, ends, tile, ends + runs.count);
  for (u32 i = count + thread_index(); i < Tile::nv; i += nt) tile[Tile::padded(i)] = Codec::padding;
  sync_block();
  // Their order is of no matter yet: each thread takes the places that it writes first.
  Word items[vt];
  Tile::template read<0, false>(tile, items);
  Tile::sort(tile, items);
  Tile::template to_striped<vector>(tile, items);
  LaunchOrder<late>::before_stores();
  Output::store(keys + place.row * row_stride + begin, count, items);
}

}  // namespace bitune
