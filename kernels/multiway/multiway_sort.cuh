#pragma once

// The multiway variant's two passes over the array. Each brings all keys into registers. The first pass deals the keys to runs. A block,
// or a cluster of blocks, sorts each run and writes it to the workspace, as encoded words, which order as unsigned integers do. The second
// pass gathers each bucket from all runs, sorts it, and writes it to its place in the array.
//
// Both are one kernel, so that there is one copy of the sorting network. The network is most of the instructions. A multiprocessor that
// sorts one tile a launch runs through each of them once, as fast as they come from the caches.

#include "kernels/multiway/bucket_gather.cuh"
#include "kernels/multiway/launch_order.cuh"
#include "kernels/multiway/run_load.cuh"
#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/encoded_codec.cuh"

namespace bitune {

/// Pass 0 sorts runs of ranks * nt * vt keys from `input` to `words`, which has room for as many words for each run. Pass 1 sorts the buckets,
/// of as many keys, from `words` to `keys`. Rows of `input` and `keys` begin row_stride keys apart. The last bucket of a row may be shorter.
/// `splits`: multiway_split's, if pivots is 0. Each run or bucket is the work of a cluster of `ranks` blocks; a row takes blocks_per_row
/// blocks. Does the passes first_pass .. last_pass, with `between` between the two. Shared memory: gather_bucket's, which is enough for a
/// run, too.
///
/// Every plan does one pass a launch, with one block for each run. It can do more since any simpler text becomes other machine code, and
/// tunings would have to be measured again: simplify it when they are (as multiway_split's `chain`).
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, bool late, int ranks,
          int lanes, int pivots, int window, class Barrier>
BITUNE_DEVICE void multiway_passes(u32 first_pass, u32 last_pass, const Barrier& between, typename Codec::Raw* keys,
                                   const typename Codec::Raw* input, typename Codec::Raw* words, const u32* splits, u64 n,
                                   u64 row_stride, u32 blocks_per_row) {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps, ranks>;
  using Share = typename Tile::Block;
  constexpr u32 length = ranks * Share::nv;
  const RowOfBlock place(blocks_per_row);
  const u32 tile = place.block / ranks;
  const u32 begin = place.block % ranks * Share::nv;  // of the block's share, in its tile
  const Runs<Raw> runs(words, place.row, n, length, blocks_per_row / ranks);
  Word* const shared = shared_memory<Word>();
  LaunchOrder<late>::begin();
  BITUNE_UNROLL_N(1)
  for (u32 pass = first_pass;; ++pass) {
    const u64 bucket_begin = u64{tile} * length;
    const u32 bucket_count = items_in_tile(bucket_begin, n, length);
    const u32 end = minimum(begin + Share::nv, bucket_count);
    Word items[vt];
    if (pass == 0) {
      load_run<Codec, Payload, nt, vt, vector>(input + place.row * row_stride, runs.deal, tile, begin, items);
    } else {
      gather_bucket<Codec, Payload, Share, nt, vt, lanes, pivots, window>(runs, splits, place.row, tile, begin, end, items);
    }
    Tile::sort(shared, items);
    Share::template to_striped<vector>(shared, items);
    LaunchOrder<late>::before_stores();
    if (pass == 0) {
      StripedTile<EncodedCodec<Codec>, Payload, nt, vt, vector>::store(
          words + (place.row * runs.count + tile) * length + begin, Share::nv, items);
    } else {
      StripedTile<Codec, Payload, nt, vt, vector>::store(keys + place.row * row_stride + bucket_begin + begin,
                                                         begin < end ? end - begin : 0, items);
    }
    if (pass == last_pass) return;
    between.sync();
  }
}

/// Between the passes of a launch that does one, nothing.
struct NoBarrier {
  BITUNE_DEVICE void sync() const {}
};

/// One pass of multiway_passes: `pass`. Grid: a cluster of `ranks` blocks for every run or bucket, blocks_per_row blocks a row.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks,
          bool late, int ranks, int lanes, int pivots, int window>
BITUNE_KERNEL(nt, min_blocks)
multiway_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, typename Codec::Raw* words, const u32* splits, u64 n, u32 pass,
              u64 row_stride, u32 blocks_per_row) {
  multiway_passes<Codec, Payload, nt, vt, shuffle_steps, vector, imad_quarters, late, ranks, lanes, pivots, window>(
      pass, pass, NoBarrier{}, keys, input, words, splits, n, row_stride, blocks_per_row);
}

}  // namespace bitune
