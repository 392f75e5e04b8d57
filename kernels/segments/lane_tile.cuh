#pragma once

// A segment in the registers of a few lanes: 1, 2, 4 ... 32 neighbouring lanes of a warp, with vt items each. As register_tile.cuh has it in
// layout 0, the item of index i is in register i % vt of lane i / vt. Here vt may also be three times a power of two, or 2^i * 3^j where
// comparators of three sort faster (three_way.cuh). So there are tiles between any two powers of two, which take fewer steps than the larger
// one.
//
// Steps across lanes are loops: how many lanes a segment has, the warp learns from the segments. So all tiles of one vt share their code.

#include "kernels/network/network.cuh"
#include "kernels/network/three_way.cuh"

namespace bitune {

/// Sorts the items of each run of `length` registers, which is bitonic. length: a power of two, or three times one.
template <class Compare, int length, int vt, class Item>
BITUNE_DEVICE void sort_bitonic_runs(Item (&items)[vt]) {
  if constexpr (length == 3) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; r += 3) {
      Compare::apply(items[r], items[r + 2], r);
      Compare::apply(items[r], items[r + 1], r + 1);
      Compare::apply(items[r + 1], items[r + 2], r + 2);
    }
  } else if constexpr (length > 1) {
    constexpr int half = length / 2;
    BITUNE_UNROLL
    for (int pair = 0; pair < vt / 2; ++pair) {
      const int r = pair / half * length + pair % half;
      Compare::apply(items[r], items[r + half], pair);
    }
    sort_bitonic_runs<Compare, half>(items);
  }
}

template <class Item, class Compare, int vt>
struct LaneTile {
  /// Sorts a tile of each `lanes` neighbouring lanes; all lanes of the warp take part.
  BITUNE_DEVICE static void sort(Item (&items)[vt], u32 lanes) {
    if constexpr (by_threes) {
      sort_by_threes<ItemRange<0, 1, vt>>(items);
    } else {
      register_sort<Compare>(items);
    }
    BITUNE_UNROLL_N(1)
    for (u32 width = 1; width < lanes; width *= 2) {
      merge(items, 2 * width - 1, width, true);
      BITUNE_UNROLL_N(1)
      for (u32 distance = width / 2; distance > 0; distance /= 2) merge(items, distance, distance, false);
      if constexpr (by_threes) {
        sort_bitonic_by_threes<ItemRange<0, 1, vt>, vt>(items);
      } else {
        sort_bitonic_runs<Compare, vt>(items);
      }
    }
  }

 private:
  static constexpr bool by_threes = sorts_by_threes<Item> && vt % 3 == 0;

  /// How many items a lane sends before it looks at what it received: more would take registers that 32 items a lane have not.
  static constexpr int at_once = 8;

  /// A step between this lane and the one whose index differs in the bits of `mask`, of which `top` is the highest. In the first step of a
  /// merge both runs ascend: then an item's partner is its mirror image.
  BITUNE_DEVICE static void merge(Item (&items)[vt], u32 mask, u32 top, bool mirrored) {
    const bool lower = (lane() & top) == 0;
    if (mirrored) {
      exchange<true>(items, mask, lower);
    } else {
      exchange<false>(items, mask, lower);
    }
  }

  /// Mirror images are sent together, as each lane wants both.
  template <bool mirrored, int first = 0>
  BITUNE_DEVICE static void exchange(Item (&items)[vt], u32 mask, bool lower) {
    constexpr int all = mirrored ? vt / 2 : vt;
    constexpr int some = smaller_of(all - first, mirrored ? at_once / 2 : at_once);
    if constexpr (some > 0) {
      constexpr int sent_items = mirrored ? 2 * some : some;
      const auto place = [](int r) { return r < some ? first + r : vt - 1 - first - (sent_items - 1 - r); };
      Item sent[sent_items];
      Item partner[sent_items];
      BITUNE_UNROLL
      for (int r = 0; r < sent_items; ++r) sent[r] = items[place(r)];
      shuffle_xor_each(sent, mask, partner);
      BITUNE_UNROLL
      for (int r = 0; r < sent_items; ++r) items[place(r)] = select_by(lower, sent[r], partner[mirrored ? sent_items - 1 - r : r]);
      exchange<mirrored, first + some>(items, mask, lower);
    } else if constexpr (mirrored && vt % 2 != 0) {
      const Item sent[1] = {items[vt / 2]};
      Item partner[1];
      shuffle_xor_each(sent, mask, partner);
      items[vt / 2] = select_by(lower, sent[0], partner[0]);
    }
  }
};

}  // namespace bitune
