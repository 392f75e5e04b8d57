#pragma once

// Buckets: the last of the multiway variant's three kernels. A bucket is what lies between two boundaries, in pieces of all
// runs: a block gathers them, sorts them in registers and writes them to their place in the array.

#include "kernels/block_sum.cuh"
#include "kernels/multiway_split.cuh"
#include "kernels/run_sort.cuh"

namespace bitune {

/// Copies the pieces of all runs between two boundaries into shared memory, one behind the other, `lanes` threads a piece.
/// starts, ends: a u32 for every run, in shared memory; ends[i]: where piece i ends in the tile. Precondition of what follows: a barrier.
template <class Tile, int nt, int lanes, class Raw, class Word>
BITUNE_DEVICE void gather_pieces(const Splits<Raw>& splits, u32 bucket, Word* tile, u32* starts, u32* ends,
                                 u32* scratch) {
  const Runs<Raw>& runs = splits.runs;
  BlockPrefixSum<nt> pieces_before(scratch);
  for (u32 base = 0; base < runs.count; base += nt) {
    const u32 run = base + thread_index();
    const u32 start = run < runs.count ? splits.get(bucket, run) : 0;
    const u32 length = run < runs.count ? splits.get(bucket + 1, run) - start : 0;
    const u32 before = pieces_before(length);
    if (run < runs.count) {
      starts[run] = start;
      ends[run] = before + length;
    }
  }
  sync_block();
  for (u32 run = thread_index() / lanes; run < runs.count; run += nt / lanes) {
    const u32 begin = run == 0 ? 0 : ends[run - 1];
    const u32 end = ends[run];
    const Raw* piece = runs.begin(run) + starts[run];
    for (u32 i = begin + thread_index() % lanes; i < end; i += lanes) tile[Tile::padded(i)] = piece[i - begin];
  }
}

/// Sorts each bucket of nt * vt keys of every row from the sorted runs into `keys`, rows row_stride keys apart. The last bucket of
/// a row may be shorter. Grid: one block a bucket, blocks_per_row blocks a row. Dynamic shared memory:
/// RegisterTile::shared_words words, then 2 u32 for every run and for every warp.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int swaps, int imad_quarters,
          int min_blocks, int lanes>
BITUNE_KERNEL(nt, min_blocks)
bucket_sort(typename Codec::Raw* keys, const typename Codec::Raw* words, const u32* splits, u64 n, u32 run_length,
            u64 row_stride, u32 blocks_per_row) {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Output = RowTile<Codec, Payload, nt, vt, vector, swaps>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  const u32 run_count = static_cast<u32>((n + run_length - 1) / run_length);
  const u32 buckets = static_cast<u32>((n + Tile::nv - 1) / Tile::nv);
  const Runs<Raw> runs{words + place.row * n, n, run_length, run_count};
  const Splits<Raw> cuts{runs, splits + Splits<Raw>::matrix(place.row, buckets, run_count), buckets};
  Word* shared = shared_memory<Word>();
  u32* starts = reinterpret_cast<u32*>(shared + Tile::shared_words);
  u32* ends = starts + run_count;
  begin_dependent_launch();
  gather_pieces<Tile, nt, lanes>(cuts, place.block, shared, starts, ends, ends + run_count);
  for (u32 i = count + thread_index(); i < Tile::nv; i += nt) shared[Tile::padded(i)] = Codec::padding;
  sync_block();
  // Their order is of no matter yet: each thread takes the places that it writes first.
  Word items[vt];
  Tile::template read<0, false>(shared, items);
  Tile::sort(shared, items);
  Output::swap_bits(items);
  Raw* to = keys + place.row * row_stride + begin;
  const bool vectors = whole_vectors<vector>(to, to, count);
  if (count == Tile::nv) {
    Output::template store<true>(to, count, vectors, items);
  } else {
    Output::template store<false>(to, count, vectors, items);
  }
}

}  // namespace bitune
