#pragma once

// Which keys a tile of a radix pass has. All tiles are full but the last; or a pass begins and ends with small ones (layout::RampedTiles).

#include "kernels/network/tile_io.cuh"
#include "kernels/platform/platform.cuh"
#include "kernels/radix/ramps_layout.hpp"

namespace bitune {

/// Keys of a tile that has places for vt of each thread.
template <int vt>
struct TilePart {
  static constexpr bool has_known_items = true;
  u64 first;
  u32 keys;
  u32 number;

  BITUNE_DEVICE u64 begin() const { return first; }
  BITUNE_DEVICE u32 count() const { return keys; }

  /// Of a thread, those that are not there included.
  BITUNE_DEVICE static constexpr int items() { return vt; }
};

/// Tile `number` of n keys, where all but the last have nt * vt.
template <int nt, int vt>
BITUNE_DEVICE TilePart<vt> full_tile(u64 n, u32 number) {
  const u64 begin = u64{number} * (u32{nt} * vt);
  return {begin, items_in_tile(begin, n, u32{nt} * vt), number};
}

/// A tile of any size. In shared memory: whoever needs to know something of it reads it there, since registers are dear.
struct TileSpan {
  static constexpr bool has_known_items = false;
  u64 first;
  u32 keys;
  u32 of_thread;
  u32 number;

  BITUNE_DEVICE u64 begin() const { return first; }
  BITUNE_DEVICE u32 count() const { return keys; }
  BITUNE_DEVICE int items() const { return static_cast<int>(of_thread); }
};
static_assert(sizeof(TileSpan) == layout::tile_span_bytes());

/// Tile `number` of n keys as layout::ramped_tiles cuts them. step, falls_from: of RampedTiles.
template <int nt, int vt>
BITUNE_DEVICE TileSpan ramped_tile(u64 n, u32 step, u32 falls_from, u32 number) {
  constexpr u32 steps = layout::ramp_steps(vt);
  constexpr u32 unit = layout::ramp_unit();
  const u32 ramp = step * steps;  // tiles of the ramp up
  u64 before = u64{step} * layout::ramp_items(steps);
  u32 items = vt;
  if (number < ramp) {
    const u32 level = number / step;
    items = unit * (level + 1);
    before = u64{step} * layout::ramp_items(level) + u64{number - level * step} * items;
  } else if (number < falls_from) {
    before += u64{number - ramp} * vt;
  } else {
    const u32 level = steps - (number - falls_from) / step;
    items = unit * level;
    const u32 of_level = number - falls_from - (steps - level) * step;
    before += u64{falls_from - ramp} * vt + u64{step} * (layout::ramp_items(steps) - layout::ramp_items(level)) + u64{of_level} * items;
  }
  const u64 begin = before * nt;
  return {begin, items_in_tile(begin, n, nt * items), items, number};
}

}  // namespace bitune
