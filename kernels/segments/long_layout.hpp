#pragma once

/// \file
/// Sizes of what the launches that sort long segments tell each other, besides those of the radix variants.

#include "kernels/radix/radix_layout.hpp"

namespace bitune::layout {

/// Bytes of a LongTile.
constexpr Size long_tile_bytes() { return 24; }

/// Bytes of a PartAtWork.
constexpr Size part_at_work_bytes() { return 56; }

/// What a block keeps in shared memory: a tile, or counters of digits before there are tiles; and behind that a PartAtWork.
struct LongBlockParts {
  Size work;
  Size bytes;
};

/// count_bytes: of the counters of all digits that are counted.
constexpr LongBlockParts long_block_parts(const RadixTileParts& tile, Size count_bytes) {
  const Size work = rounded_up(tile.bytes > count_bytes ? tile.bytes : count_bytes, 8);
  return {work, work + part_at_work_bytes()};
}

}  // namespace bitune::layout
