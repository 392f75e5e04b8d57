#pragma once

/// \file
/// Sizes of what the launches that sort long segments tell each other, besides those of the radix variants.

#include "kernels/radix/radix_layout.hpp"

namespace bitune::layout {

/// Bytes of a LongTile.
constexpr Size long_tile_bytes() { return 24; }

/// Where a block of a pass keeps its TileAtWork, and how many bytes it has.
constexpr Size tile_at_work_begin(const RadixTileParts& parts) { return rounded_up(parts.bytes, 8); }
constexpr Size tile_at_work_bytes() { return 32; }

/// Threads of a block that counts digits with so many copies of each counter: a warp for each copy.
constexpr Size long_count_threads(Size copies) { return 32 * copies; }

}  // namespace bitune::layout
