#pragma once

// Arrays as long as the registers of a cluster of blocks hold, each sorted in one launch.

#include "kernels/cluster/sending_cluster_tile.cuh"
#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// Sorts each of `rows` rows of `length` keys (at most ranks * nt * vt), row i beginning `stride` keys behind row i - 1,
/// from `input` to `keys`; both may be the same. Grid: one cluster of `ranks` blocks a row. Dynamic shared memory:
/// RegisterTile::shared_words words a block, or sending_cluster_bytes (cluster_layout.hpp) where blocks send each other their items.
template <class Codec, class Payload, int nt, int vt, int ranks, int shuffle_steps, int vector, int imad_quarters, bool sending>
BITUNE_KERNEL(nt, 1)
cluster_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, u32 length, u64 stride) {
  using Word = Item<Codec, Payload>;
  using Compare = Comparator<imad_quarters>;
  using Block = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  const u32 begin = cluster_rank() * Block::nv;
  const u64 first = u64{block_index() / ranks} * stride + begin;
  const u32 count = begin < length ? items_in_tile(begin, length, Block::nv) : 0;
  Word* shared = shared_memory<Word>();
  Word items[vt];
  using Sending = SendingClusterTile<Word, Compare, nt, vt, shuffle_steps, ranks>;
  if constexpr (sending) Sending(shared).expect_all();
  begin_launch();
  Memory::load(input + first, count, items);
  if constexpr (sending) {
    const Sending tile(shared);
    tile.sort(items);
    shared = tile.scratch;
  } else {
    ClusterTile<Word, Compare, nt, vt, shuffle_steps, ranks>::sort(shared, items);
  }
  // All access to other blocks is over: from here on a block may finish on its own.
  Block::template to_striped<vector>(shared, items);
  Memory::store(keys + first, count, items);
}

}  // namespace bitune
