#pragma once

/// \file
/// Sizes of the tiles of a pass that begins and ends with small ones.

#include "kernels/radix/radix_layout.hpp"

namespace bitune::layout {

/// Tiles of a pass that begins and ends with small ones. In equal ones all blocks would load at the same time, then rank, then write. So a
/// pass begins with a ramp: some tiles of few items a thread, as many with more of them, and so on, up to half of the blocks that run at once.
/// It ends with a ramp down: blocks wait less for the last one.
struct RampedTiles {
  unsigned long long step;        ///< tiles of as many items; 0: there is no ramp
  unsigned long long falls_from;  ///< the first tile of the ramp down
  unsigned long long count;       ///< of all tiles
};

/// Items of a thread by which steps of a ramp differ.
constexpr Size ramp_unit() { return 8; }

constexpr Size ramp_steps(Size items) { return (items - 1) / ramp_unit(); }

/// Items of a thread in the first so many steps, of one tile each.
constexpr Size ramp_items(Size steps) { return ramp_unit() * (steps * (steps + 1) / 2); }

/// Those of a pass over so many keys. There is no ramp where all blocks run at once, where half of the keys would be in ramps, or where a
/// ramp would have less than a full tile.
constexpr RampedTiles ramped_tiles(unsigned long long keys, Size threads, Size items, Size blocks_at_once) {
  using Number = unsigned long long;
  const auto tiles_of = [&](Number some, Size of_thread) { return (some + Number(threads * of_thread) - 1) / Number(threads * of_thread); };
  const RampedTiles level{0, ~0u, tiles_of(keys, items)};
  const Size steps = ramp_steps(items);
  if (steps == 0 || level.count <= Number(blocks_at_once) || blocks_at_once < 2 * steps) return level;
  const Number step = Number(blocks_at_once / (2 * steps));
  const Number ramp = step * Number(threads * ramp_items(steps));
  if (keys < 4 * ramp || ramp < Number(threads * items)) return level;
  const Number between = tiles_of(keys - 2 * ramp, items);
  const Number falls_from = step * Number(steps) + between;
  RampedTiles tiles{step, falls_from, falls_from};
  Number rest = keys - ramp - between * Number(threads * items);
  for (Size of_thread = steps * ramp_unit(); rest != 0; of_thread -= ramp_unit()) {
    const Number needed = tiles_of(rest, of_thread);
    tiles.count += needed < step ? needed : step;
    rest = needed <= step ? 0 : rest - step * Number(threads * of_thread);
  }
  return tiles;
}

/// Where a block keeps its TileSpan, behind its RadixTile, and how many bytes it has.
constexpr Size tile_span_begin(const RadixTileParts& parts) { return rounded_up(parts.bytes, 8); }
constexpr Size tile_span_bytes() { return 24; }

}  // namespace bitune::layout
