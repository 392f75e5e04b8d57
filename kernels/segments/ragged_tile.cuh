#pragma once

// A tile of a block that is not full. A tile of a power of two costs as much as a full one, whatever it holds, if all of it is sorted. Here
// warps that hold padding alone do nothing but what other warps need them for: the few steps that go across warps. And two runs are not
// merged if the upper one is padding alone. So a segment costs about what it has keys, though its block has as many threads as for the
// longest one.
//
// What is in shared memory where a warp holds padding stays as it is: padding never moves. The warp writes it there once, and never
// reads it.

#include "kernels/network/register_tile.cuh"
#include "kernels/segments/lane_tile.cuh"

namespace bitune {

/// nt threads, the whole block, with vt items each; items are in layout 0 of register_tile.cuh before and after.
template <class Word, class Compare, int nt, int vt, int shuffle_steps>
struct RaggedTile {
  using Tile = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  static constexpr u32 of_warp = warp_size * vt;
  static constexpr int warp_bits = Tile::E + 5;

  /// Sorts the items. Those at index `count` and above are padding; it is the same in the whole block.
  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt], u32 count) {
    const bool has_items = warp_index() * of_warp < count;
    // By loops, not by the steps of `Tile`, which are unrolled: blocks are at different places of their code, and twice as much of it took longer.
    if (has_items) LaneTile<Word, Compare, vt>::sort(items, kept(warp_size));
    merge_warps<warp_bits + 1>(shared, items, count, has_items);
  }

 private:
  template <int stage>
  BITUNE_DEVICE static void merge_warps(Word* shared, Word (&items)[vt], u32 count, bool has_items) {
    if constexpr (stage <= Tile::L) {
      constexpr u32 half = u32{1} << (stage - 1);
      if (count <= half) return;
      // The runs that the warp has a part of. All of the block's threads that have one, have it in whole warps, in every layout.
      const u32 first = warp_index() * of_warp / (2 * half) * (2 * half);
      const bool merges = first + half < count;
      if ((has_items && merges) || stage == warp_bits + 1) Tile::template write<0, false>(shared, items);
      merge_across<stage, true>(shared, items, merges, has_items && merges);
      merge_warps<stage + 1>(shared, items, count, has_items);
    }
  }

  /// The steps on the index bits remaining - 1 .. 0. The items have been written to shared memory by their last layout.
  template <int remaining, bool flip>
  BITUNE_DEVICE static void merge_across(Word* shared, Word (&items)[vt], bool merges, bool keeps_items) {
    sync_block();
    if constexpr (remaining > warp_bits) {
      constexpr int low = remaining - Tile::E;
      if (merges) {
        Tile::template read<low, flip>(shared, items);
        if constexpr (flip) {
          register_flip<Compare, Tile::E>(items);
          register_steps<Compare, Tile::E - 1, 0>(items);
        } else {
          register_steps<Compare, Tile::E, 0>(items);
        }
        Tile::template write<low, flip>(shared, items);
      }
      merge_across<low, false>(shared, items, merges, keeps_items);
    } else if (keeps_items) {
      Tile::template merge<Tile::in_shared, false, remaining, false>(shared, items);
    }
  }
};

}  // namespace bitune
