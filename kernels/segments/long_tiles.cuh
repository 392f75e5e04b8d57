#pragma once

// Tiles of long segments. A tile never holds keys of two segments. So each tile is one of a segment, whose keys it is ordered among.

#include "kernels/network/codec.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/radix/radix_layout.hpp"
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

/// Writes a table of all tiles of the listed segments, and sets to 0 what is counted later: `tickets` for each of `passes` passes, at
/// `digits` the counters of all passes' digits for each segment that has several tiles, and at `states` what LookBack keeps of the tiles of
/// these in the first pass. A warp for each tile in turn; any grid.
template <int nt, int passes, int digit_bits, u32 tile_keys, int counter_bytes>
BITUNE_KERNEL(nt, 1)
map_long_tiles(LongTile* tiles, LongSegment* listed, ListCounters* counters, u32* tickets,
               typename Storage<counter_bytes>::Word* digits, typename Storage<counter_bytes>::Word* states) {
  constexpr u32 values = layout::digit_values(digit_bits);
  begin_dependent_launch();
  const LongSegments segments{listed, counters, 0};
  const u32 count = segments.count();
  const u32 tile_count = segments.tiles();
  if (block_index() == 0 && thread_index() < passes) tickets[thread_index()] = 0;
  constexpr u32 warps = nt / warp_size;
  for (u32 tile = block_index() * warps + warp_index(); tile < tile_count; tile += block_count() * warps) {
    const u32 segment = segment_of_tile(listed, count, tile);
    const LongSegment found = listed[segment];
    const u32 index = tile - static_cast<u32>(found.first_tile);
    if (lane() == 0) tiles[tile] = {found.begin, found.length, index, segment};
    if (found.length <= tile_keys) continue;
    for (u32 i = lane(); i < values; i += warp_size) states[u64{tile} * values + i] = 0;
    if (index != 0) continue;
    for (u32 i = lane(); i < passes * values; i += warp_size) digits[u64{segment} * (passes * values) + i] = 0;
  }
}

}  // namespace bitune
