#pragma once

// A tile in the registers of a cluster of blocks (sm_90 on): each block holds its share of the tile, and the steps between
// blocks move items through distributed shared memory.
//
// Places in the tile have B bits within a block (register_tile.cuh) and, above them, the bits of the block's rank. The
// shared memory of all blocks together holds the tile in order. The merge of a stage above B begins in the layout whose
// register bits are the stage's top E bits: `rank_bits` of them say in which block a register's item lies, the others where.
// After these steps the rest of the stage stays within blocks.

#include "kernels/register_tile.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

template <class Word, class Compare, int nt, int vt, int shuffle_steps, int ranks>
struct ClusterTile {
  using Block = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  static constexpr int E = Block::E;
  static constexpr int B = Block::L;
  static constexpr int C = log2_of(ranks);
  static_assert(is_power_of_two(ranks) && ranks >= 2 && C <= E);

  /// Reads or writes the items of the layout with register bits [low, low + E), rank_bits of which are bits of the rank.
  /// Registers whose top bit is set hold the mirrored thread's items, as in RegisterTile.
  template <int rank_bits, bool writing>
  BITUNE_DEVICE static void access(Word* shared, Word (&items)[vt]) {
    constexpr int low = B + rank_bits - E;
    constexpr int here = E - rank_bits;  // register bits within a block
    constexpr u32 mask = (u32{1} << low) - 1;
    const u32 thread = cluster_rank() * nt + thread_index();
    const u32 offset = Block::padded(thread & mask);
    const u32 mirror = Block::padded(~thread & mask);
    const u32 group = (thread >> low) << rank_bits;
    BITUNE_UNROLL
    for (int q = 0; q < 1 << rank_bits; ++q) {
      const bool upper = 2 * q >= 1 << rank_bits;
      Word* const base = shared_of_rank(shared, group + q) + (upper ? mirror : offset);
      BITUNE_UNROLL
      for (int s = 0; s < 1 << here; ++s) {
        if constexpr (writing) {
          base[Block::padded(u32(s) << low)] = items[q << here | s];
        } else {
          items[q << here | s] = base[Block::padded(u32(s) << low)];
        }
      }
    }
  }

  /// Merges in stages B + rank_bits, ..., B + C: items in layout 0 of their block before and after.
  template <int rank_bits = 1>
  BITUNE_DEVICE static void merge_stages(Word* shared, Word (&items)[vt]) {
    if constexpr (rank_bits <= C) {
      Block::template write<0, false>(shared, items);
      sync_cluster();
      access<rank_bits, false>(shared, items);
      register_flip<Compare, E>(items);
      register_steps<Compare, E - 1, 0>(items);
      access<rank_bits, true>(shared, items);
      sync_cluster();
      Block::template merge<Block::in_shared, false, B + rank_bits - E, false>(shared, items);
      merge_stages<rank_bits + 1>(shared, items);
    }
  }

  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt]) {
    Block::sort(shared, items);
    merge_stages(shared, items);
  }
};

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
