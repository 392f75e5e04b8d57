#pragma once

// Kernels of the warp variant: a tile sorted, or merged, in the registers of one block.

#include "kernels/network/launch.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// Sorts each tile of nt * vt keys of every row. Grid: one block a tile, blocks_per_row blocks a row; rows begin
/// `row_stride` keys apart. Dynamic shared memory: RegisterTile::shared_words words.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
tile_sort(typename Codec::Raw* keys, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  typename Codec::Raw* tile = keys + place.row * row_stride + begin;
  Word* shared = shared_memory<Word>();
  Word items[vt];
  begin_launch();
  Memory::load(tile, count, items);
  Tile::sort(shared, items);
  Tile::template to_striped<vector>(shared, items);
  Memory::store(tile, count, items);
}

/// Does the steps of a stage that lie within tiles of nt * vt keys. Grid and shared memory as tile_sort.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
tile_merge(typename Codec::Raw* keys, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Compare = Comparator<imad_quarters>;
  using Tile = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  typename Codec::Raw* tile = keys + place.row * row_stride + begin;
  Word* shared = shared_memory<Word>();
  Word items[vt];
  begin_launch();
  // One item a thread and round is the layout whose register bits are the top bits: the first steps need no move.
  StripedTile<Codec, Payload, nt, vt, 1>::load(tile, count, items);
  register_steps<Compare, Tile::E, 0>(items);
  Tile::template merge<Tile::T, false, Tile::T, false>(shared, items);
  Tile::template to_striped<vector>(shared, items);
  StripedTile<Codec, Payload, nt, vt, vector>::store(tile, count, items);
}

}  // namespace bitune
