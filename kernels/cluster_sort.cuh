#pragma once

// Arrays as long as the registers of a cluster of blocks hold, each sorted in one launch.

#include "kernels/cluster_tile.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// Sorts each of `rows` rows of `length` keys (at most ranks * nt * vt), row i beginning `stride` keys behind row i - 1,
/// from `input` to `keys`; both may be the same. Grid: one cluster of `ranks` blocks a row. Dynamic shared memory:
/// RegisterTile::shared_words words a block.
template <class Codec, class Payload, int nt, int vt, int ranks, int shuffle_steps, int vector, int imad_quarters>
BITUNE_KERNEL(nt, 1)
cluster_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, u32 length, u64 stride) {
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps, ranks>;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  constexpr u32 nv = Tile::Block::nv;
  const u32 begin = cluster_rank() * nv;
  const u64 first = u64{block_index() / ranks} * stride + begin;
  const u32 count = begin < length ? items_in_tile(begin, length, nv) : 0;
  Word* shared = shared_memory<Word>();
  Word items[vt];
  Memory::load(input + first, count, items);
  Tile::sort(shared, items);
  // The last cluster barrier is behind all access to other blocks: from here on a block may finish on its own.
  Tile::Block::template to_striped<vector>(shared, items);
  Memory::store(keys + first, count, items);
}

}  // namespace bitune
