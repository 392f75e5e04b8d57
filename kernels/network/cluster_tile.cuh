#pragma once

// A tile in the registers of a cluster of blocks (sm_90 on): each block holds its share of the tile, and the steps between
// blocks move items through distributed shared memory.
//
// Places in the tile have B bits within a block (register_tile.cuh) and, above them, the bits of the block's rank. The
// shared memory of all blocks together holds the tile in order. The merge of a stage above B begins in the layout whose
// register bits are the stage's top E bits: `rank_bits` of them say in which block a register's item lies, the others where.
// After these steps the rest of the stage stays within blocks.

#include "kernels/network/register_tile.cuh"

namespace bitune {

/// The bits of a place in such a tile. ranks: blocks of the cluster, each with nt threads of vt items.
template <class Word, class Compare, int nt, int vt, int shuffle_steps, int ranks>
struct ClusterBits {
  using Block = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  static constexpr int T = Block::T;
  static constexpr int E = Block::E;
  static constexpr int B = Block::L;
  static constexpr int C = log2_of(ranks);
  static_assert(is_power_of_two(ranks) && ranks >= 2);
};

/// Blocks read and write each other's items. A thread has a register at least for each block.
template <class Word, class Compare, int nt, int vt, int shuffle_steps, int ranks>
struct ClusterTile : ClusterBits<Word, Compare, nt, vt, shuffle_steps, ranks> {
  using Bits = ClusterBits<Word, Compare, nt, vt, shuffle_steps, ranks>;
  using typename Bits::Block;
  using Bits::B;
  using Bits::C;
  using Bits::E;
  static_assert(C <= E);

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

/// A cluster of one block is any block.
template <class Word, class Compare, int nt, int vt, int shuffle_steps>
struct ClusterTile<Word, Compare, nt, vt, shuffle_steps, 1> {
  using Block = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;

  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt]) { Block::sort(shared, items); }
};

}  // namespace bitune
