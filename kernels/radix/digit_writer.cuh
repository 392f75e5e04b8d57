#pragma once

// Writes a tile that is in order by digit, and follows the sectors of memory. A digit's items go to neighbouring places. If threads take a
// tile's items as they come, a warp's store ends anywhere in a sector, and the L2 cache gets this sector twice. Here a group of lanes
// writes a digit's items in steps that end where sectors do. So a sector is cut only where the digit's items begin or end.

#include "kernels/platform/platform.cuh"
#include "kernels/radix/radix_layout.hpp"

namespace bitune {

/// What the nt threads of a block write of a RadixTile of nt * vt items whose digits have `values` values. `lanes` lanes of a warp write a
/// digit's items. A step ends at an address that is a multiple of the bytes of `lanes` items.
template <class Tile, int nt, int vt, int lanes, u32 values>
struct DigitWriter {
  static_assert(lanes > 0 && warp_size % lanes == 0);
  static constexpr u32 groups = nt / lanes;
  /// So many places a group writes of a digit's items, counted from a step's begin on. Random keys are written whole, as twice the mean of the
  /// items fits in. What is beyond, all groups write together.
  static constexpr u32 reach = layout::rounded_up(2 * nt * vt / values + lanes, 2 * lanes);

  const Tile& tile;
  u32 count;  ///< items of the tile; padding behind them is not written

  /// A digit's items.
  template <class Counter>
  struct Run {
    u32 slot;       ///< the first one's in the tile
    Counter index;  ///< the first one's in the array
    u32 items;
    u32 ahead;  ///< places of a step before the first one
  };

  /// The first warp's keys with a digit are the tile's first ones.
  BITUNE_DEVICE u32 begin(u32 digit) const { return digit < values ? tile.ranks[digit] : u32{nt} * vt; }

  BITUNE_DEVICE auto run(u32 digit, u32 array_begin) const {
    const u32 slot = begin(digit);
    const u32 end = minimum(begin(digit + 1), count);
    const auto index = tile.targets[digit] + slot;
    using Counter = decltype(tile.targets[digit] + slot);
    return Run<Counter>{slot, index, end > slot ? end - slot : 0, (array_begin + static_cast<u32>(index)) % lanes};
  }

  /// Calls write for the item at this lane's place of a step, if there is one.
  template <class Counter, class Write>
  BITUNE_DEVICE static void write_step(const Run<Counter>& run, u32 place, Write write) {
    const u32 item = place + lane() % lanes - run.ahead;  // a number beyond all items where the lane is before the first one
    if (item < run.items) write(run.slot + item, run.index + item);
  }

  /// Calls write(slot in the tile, index in the array) for each item, by one thread. By all threads of the block.
  template <class Item, class Write>
  BITUNE_DEVICE void operator()(const Item* array, Write write) const {
    const u32 array_begin = static_cast<u32>(reinterpret_cast<u64>(array) / sizeof(Item));
    const u32 group = thread_index() / lanes;
    BITUNE_UNROLL_N(1)
    for (u32 digit = group; digit < values; digit += groups) {
      const auto own = run(digit, array_begin);
      const u32 end = minimum(reach, own.ahead + own.items);
      BITUNE_UNROLL_N(1)
      for (u32 place = 0; place < end; place += 2 * lanes) {
        write_step(own, place, write);
        write_step(own, place + lanes, write);
      }
    }

    const auto is_short = [&](u32 digit) { return digit >= values || begin(digit + 1) - begin(digit) <= reach - lanes; };
    bool are_short = true;
    BITUNE_UNROLL
    for (u32 some = 0; some < values; some += warp_size) are_short &= is_short(some + lane());
    if (all_of_warp(are_short)) return;
    for (u32 some = 0; some < values; some += warp_size) {
      if (all_of_warp(is_short(some + lane()))) continue;
      for (u32 digit = some; digit < minimum<u32>(some + warp_size, values); ++digit) {
        const auto all = run(digit, array_begin);
        for (u32 place = reach + group * lanes; place < all.ahead + all.items; place += groups * lanes) write_step(all, place, write);
      }
    }
  }
};

}  // namespace bitune
