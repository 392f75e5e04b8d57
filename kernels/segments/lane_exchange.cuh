#pragma once

// From a lane's neighbouring items to neighbouring lanes' items, through shared memory. Each lane writes vt items that follow one another.
// Then lane i of a segment's lanes finds there its items i, i + lanes, i + 2 * lanes ..., so that neighbouring lanes write neighbours to
// global memory.
//
// Both ways are free of bank conflicts, or nearly: an odd vt needs no padding. An even vt has a gap behind each segment of several lanes. A power of two has
// one behind each 128 bytes. A lane writes up to 16 bytes at once.

#include "kernels/network/meta.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

template <class Item, int vt>
struct LaneExchange {
  /// Items written at once: 16 bytes at most, and a divisor of vt.
  static constexpr u32 at_once = smaller_of(vt & -vt, sizeof(Item) >= 16 ? 1 : 16 / static_cast<int>(sizeof(Item)));
  static constexpr bool is_odd = vt % 2 != 0;

  /// Writes the items of lane `here`, where each segment has `lanes` lanes. to: layout::lane_tile_parts.
  BITUNE_DEVICE static void write(Item* to, u32 here, u32 lanes, const Item (&items)[vt]) {
    Item* const own = to + place(here, lanes, here * vt);
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; r += at_once) {
      if constexpr (at_once == 1) {
        own[padded(r)] = items[r];
      } else {
        Item some[at_once];
        BITUNE_UNROLL
        for (u32 i = 0; i < at_once; ++i) some[i] = items[r + i];
        store_vector(own + padded(r), some);
      }
    }
  }

  /// Where lane `here` finds its first item, and how far behind it its item r is.
  BITUNE_DEVICE static u32 first(u32 here, u32 lanes) {
    const u32 in_segment = here & (lanes - 1);
    return place(here, lanes, (here - in_segment) * vt + in_segment);
  }
  BITUNE_DEVICE static u32 distance(u32 r, u32 lanes) { return padded(r * lanes); }

 private:
  /// With a gap behind each 128 bytes. Of sums no bit of which is in both parts, it is the sum.
  BITUNE_DEVICE static constexpr u32 padded(u32 i) {
    constexpr int shift = log2_of(128 / sizeof(Item));
    return is_power_of_two(vt) ? i + (i >> shift) * at_once : i;
  }
  /// Of the item of index i of all lanes'. Lane `here` has it in its segment.
  BITUNE_DEVICE static u32 place(u32 here, u32 lanes, u32 i) {
    if constexpr (is_power_of_two(vt)) return padded(i);
    if constexpr (is_odd) return i;
    return i + (lanes < at_once ? 0 : here & (0 - lanes));  // as many places as lanes, which keep the alignment
  }
};

}  // namespace bitune
