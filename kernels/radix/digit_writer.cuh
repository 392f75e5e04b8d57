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
  static constexpr u32 reach = layout::rounded_up(2 * nt * vt / values, lanes) + lanes;

  const Tile& tile;
  u32 count;  ///< items of the tile; padding behind them is not written

  /// The first warp's keys with a digit are the tile's first ones.
  BITUNE_DEVICE u32 begin(u32 digit) const { return tile.ranks[digit]; }
  BITUNE_DEVICE u32 length(u32 digit) const {
    const u32 end = digit + 1 < values ? minimum(begin(digit + 1), count) : count;
    return end > begin(digit) ? end - begin(digit) : 0;
  }

  /// Writes places first, first + step, ... before `end`, and as many behind each as a group has lanes.
  template <class Write>
  BITUNE_DEVICE void write_steps(u32 digit, u32 array_begin, u32 first, u32 end, u32 step, Write write) const {
    const u32 slot = begin(digit);
    const u32 items = length(digit);
    const auto target = tile.targets[digit];
    const u32 ahead = (array_begin + static_cast<u32>(target) + slot) % lanes;  // places of a step before the first item
    for (u32 place = first; place < minimum(end, ahead + items); place += step) {
      const u32 item = place + lane() % lanes - ahead;  // a number beyond all items where the lane is before the first one
      if (item < items) write(slot + item, target + (slot + item));
    }
  }

  /// Calls write(slot in the tile, index in the array) for each item, by one thread. By all threads of the block.
  template <class Item, class Write>
  BITUNE_DEVICE void operator()(const Item* array, Write write) const {
    const u32 array_begin = static_cast<u32>(reinterpret_cast<u64>(array) / sizeof(Item));
    const u32 group = thread_index() / lanes;
    for (u32 digit = group; digit < values; digit += groups) write_steps(digit, array_begin, 0, reach, lanes, write);
    for (u32 some = 0; some < values; some += warp_size) {
      const u32 digit = some + lane();
      if (all_of_warp(digit >= values || length(digit) + lanes <= reach)) continue;
      for (u32 each = some; each < minimum(some + warp_size, values); ++each) {
        write_steps(each, array_begin, reach + group * lanes, ~u32{0}, groups * lanes, write);
      }
    }
  }
};

}  // namespace bitune
