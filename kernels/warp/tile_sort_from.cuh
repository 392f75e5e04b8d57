#pragma once

// The kernel of the warp variant that sorts tiles of an array that lies elsewhere. It is apart from those that sort in place: these are
// what was measured, and stay as they were.

#include "kernels/network/launch.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// As tile_sort, but from `input` to `keys`, whose rows begin equally far apart.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
tile_sort_from(typename Codec::Raw* keys, const typename Codec::Raw* input, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  const u64 first = place.row * row_stride + begin;
  Word* shared = shared_memory<Word>();
  Word items[vt];
  begin_launch();
  Memory::load(input + first, count, items);
  Tile::sort(shared, items);
  Tile::template to_striped<vector>(shared, items);
  Memory::store(keys + first, count, items);
}

}  // namespace bitune
