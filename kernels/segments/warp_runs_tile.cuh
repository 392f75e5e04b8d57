#pragma once

// A tile of a block whose warps sort runs by comparators of three (lane_tile.cuh), and merge them. In a step between warps each lane has the
// items of one lane of another warp, through shared memory. So a lane may have any number of items for which there is a network, and the
// block any number of warps. Warps that hold padding alone do nothing but come to barriers: padding never moves.

#include "kernels/segments/lane_exchange.cuh"
#include "kernels/segments/lane_tile.cuh"
#include "kernels/segments/segments_layout.hpp"

namespace bitune {

/// nt threads, the whole block, with vt items each. The item of index i is in register i % vt of lane i / vt of all.
template <class Word, int nt, int vt>
struct WarpRunsTile {
  static constexpr u32 of_warp = warp_size * vt;
  static constexpr u32 warp_bytes = static_cast<u32>(layout::lane_tile_parts(of_warp, sizeof(Word), 0).bytes);
  static constexpr u32 bytes = nt / static_cast<int>(warp_size) * warp_bytes;

  /// Sorts the items, which may be given in any order. `count` of them are not padding, of the first warps all that these hold. It is the
  /// same in the whole block.
  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt], u32 count) {
    const u32 filled = (count + of_warp - 1) / of_warp;  // warps
    const bool has_items = warp_index() < filled;
    if (has_items) Lanes::sort(items, kept(warp_size));
    BITUNE_UNROLL_N(1)
    for (u32 half = 1; half < filled; half *= 2) {
      const u32 first = warp_index() & ~(2 * half - 1);
      const bool merges = has_items && first + half < filled;
      exchange<true>(shared, items, 2 * half - 1, half, merges, filled);
      BITUNE_UNROLL_N(1)
      for (u32 distance = half / 2; distance > 0; distance /= 2) exchange<false>(shared, items, distance, distance, merges, filled);
      if (merges) Lanes::sort_bitonic(items, kept(warp_size));
    }
  }

  /// Puts a warp's sorted items where `item` finds them. All threads of the block call it.
  BITUNE_DEVICE static void publish(Word* shared, const Word (&items)[vt]) {
    sync_block();  // others may have read this warp's, some shuffles before
    Exchange::write(area(shared, warp_index()), lane(), warp_size, items);
    sync_warp();
  }

  /// The warp's item of index r * 32 + lane().
  BITUNE_DEVICE static Word& item(Word* shared, u32 r) {
    return area(shared, warp_index())[Exchange::first(lane(), warp_size) + Exchange::distance(r, warp_size)];
  }

 private:
  using Lanes = LaneTile<Word, Comparator<0>, vt>;
  using Exchange = LaneExchange<Word, vt>;

  BITUNE_DEVICE static Word* area(Word* shared, u32 warp) { return shared + warp * (warp_bytes / static_cast<u32>(sizeof(Word))); }

  /// A step between this warp and the one whose number differs in the bits of `mask`, of which `top` is the highest. In the first step of a
  /// merge both runs ascend: then an item's partner is its mirror image.
  template <bool mirrored>
  BITUNE_DEVICE static void exchange(Word* shared, Word (&items)[vt], u32 mask, u32 top, bool merges, u32 filled) {
    sync_block();  // others may read this warp's until then
    if (merges) {
      Word* const own = area(shared, warp_index()) + lane();
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; ++r) own[r * warp_size] = items[r];
    }
    sync_block();
    const u32 partner = warp_index() ^ mask;
    if (!merges || partner >= filled) return;  // of padding nothing is larger
    const bool lower = (warp_index() & top) == 0;
    const Word* const others = area(shared, partner) + (mirrored ? warp_size - 1 - lane() : lane());
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; ++r) items[r] = select_by(lower, items[r], others[(mirrored ? vt - 1 - r : r) * warp_size]);
  }
};

}  // namespace bitune
