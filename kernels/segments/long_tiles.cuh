#pragma once

// Tiles of long segments. A tile never holds keys of two segments. So each tile is one of a segment, whose keys it is ordered among.

#include "kernels/platform/platform.cuh"
#include "kernels/segments/long_layout.hpp"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// A tile, and the segment that it is of.
struct LongTile {
  u64 begin;    ///< of the segment's keys among those of the call
  u64 length;   ///< of the segment
  u32 index;    ///< which of the segment's tiles it is
  u32 segment;  ///< which of the listed segments it is
};
static_assert(sizeof(LongTile) == layout::long_tile_bytes());

/// Which of `count` segments, in the order of their tiles, has a tile: the last one that begins at it or before it. By all lanes of a warp,
/// each of which looks at one segment a round.
BITUNE_DEVICE u32 segment_of_tile(const LongSegment* listed, u32 count, u32 tile) {
  u32 first = 0;
  for (u32 rest = count; rest > 1;) {
    const u32 step = (rest + warp_size - 1) / warp_size;
    const u32 mine = lane() * step;
    u32 begun[1] = {mine < rest && listed[first + mine].first_tile <= tile ? u32{1} : u32{0}};
    warp_sum_each(begun);
    const u32 skipped = (begun[0] - 1) * step;  // the first lane's has begun
    first += skipped;
    rest = minimum(rest - skipped, step);
  }
  return first;
}

/// Writes what there is of `tile`, of one of `count` listed segments, in a table of all tiles. By all lanes of a warp. If its segment has
/// several tiles, it sets to 0 what LookBack keeps of it in the first turn, at `states`. The first of these also does so with what is counted
/// later, [turns][values] at `digits`.
template <u32 tile_keys, int turns, u32 values, class Counter>
BITUNE_DEVICE void map_long_tile(u32 tile, LongTile* tiles, const LongSegment* listed, u32 count, Counter* digits, Counter* states) {
  const u32 segment = segment_of_tile(listed, count, tile);
  const LongSegment found = listed[segment];
  const u32 index = tile - static_cast<u32>(found.first_tile);
  if (lane() == 0) tiles[tile] = {found.begin, found.length, index, segment};
  if (found.length <= tile_keys) return;
  for (u32 i = lane(); i < values; i += warp_size) states[u64{tile} * values + i] = 0;
  if (index != 0) return;
  for (u32 i = lane(); i < turns * values; i += warp_size) digits[u64{segment} * (turns * values) + i] = 0;
}

}  // namespace bitune
