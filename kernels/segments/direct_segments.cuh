#pragma once

// A few segments: a block for each, and no lists by length. The offsets are read by who sorts. So segments of all lengths that a block
// holds take one launch, beside each other, and as long as the longest of them.

#include "kernels/network/launch.cuh"
#include "kernels/segments/ragged_tile.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Sorts a segment of at most nt * vt keys by all threads of the block: with half as many items a thread, down to least, where they hold it.
/// So a shorter segment has as many warps, and each of these less to do.
template <class Traffic, int nt, int vt, int least, int shuffle_steps, int imad_quarters>
BITUNE_DEVICE void sort_by_block(const Traffic& traffic, Segment segment) {
  if constexpr (vt > least) {
    if (segment.length <= nt * vt / 2) {
      return sort_by_block<Traffic, nt, vt / 2, least, shuffle_steps, imad_quarters>(traffic, segment);
    }
  }
  using Item = typename Traffic::Item;
  using Tile = RaggedTile<Item, typename Traffic::template Compare<imad_quarters>, nt, vt, shuffle_steps>;
  using Registers = typename Tile::Tile;
  Item* const shared = shared_memory<Item>();
  const u32 first = warp_index() * Tile::of_warp + lane();
  Item items[vt];
  traffic.read(segment, first, warp_size, items);
  Tile::sort(shared, items, static_cast<u32>(segment.length));
  sync_warp();
  Registers::template write<0, false>(shared, items);
  sync_warp();
  Item* const own = shared + Registers::padded(first);
  traffic.template write<vt>(segment, first, warp_size, [&](u32 r) -> Item& { return own[Registers::padded(r * warp_size)]; },
                             [] { sync_block(); });
}

/// Sorts segments of up to nt * vt keys: block i has segment i. The block behind all of them, if there is one, lists those that are longer;
/// the counters need not be cleared before. most: segments that the plan was made for. Dynamic shared memory: RegisterTile::shared_words items.
template <class Traffic, int nt, int vt, int least, int shuffle_steps, int imad_quarters>
BITUNE_DEVICE void sort_segments_directly(const Traffic& traffic, const SegmentOffsets& offsets, u64 count, u64 most, ListCounters* counters,
                                          LongSegment* listed, u32 long_tile_keys) {
  begin_launch();
  if (block_index() == most) {
    if (thread_index() == 0) {
      counters->long_keys = 0;
      counters->long_segments = 0;
    }
    sync_block();
    const LongSegments longer{listed, counters, offsets.keys};
    for (u64 i = thread_index(); i < count; i += nt) {
      const Segment segment = offsets.segment_of(i);
      if (segment.length > nt * vt) longer.append(segment, long_tile_keys);
    }
  } else if (block_index() < count) {
    const Segment segment = offsets.segment_of(block_index());
    if (segment.length > nt * vt || segment.length == 0) return;
    if (segment.length == 1) {
      if (thread_index() == 0) traffic.write_one(segment.begin);
      return;
    }
    sort_by_block<Traffic, nt, vt, least, shuffle_steps, imad_quarters>(traffic, segment);
  }
}

/// Keys alone. Grid: a block for each of `most` segments, and one more where any may be longer than nt * vt keys.
template <class Codec, class Payload, int nt, int vt, int least, int shuffle_steps, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
direct_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const u8* offsets, u64 offset_bytes, const u8* ends, u64 count,
                u64 n, u64 most, ListCounters* counters, LongSegment* listed, u32 long_tile_keys) {
  sort_segments_directly<SegmentKeys<Codec>, nt, vt, least, shuffle_steps, imad_quarters>({keys, input}, {offsets, ends, offset_bytes, n}, count, most,
                                                                                          counters, listed, long_tile_keys);
}

}  // namespace bitune
