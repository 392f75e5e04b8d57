#pragma once

// Segments of a list that are sorted by a block each, in its registers. Blocks take one segment after the other until the list ends.

#include "kernels/network/launch.cuh"
#include "kernels/segments/listed_segment.cuh"
#include "kernels/segments/ragged_tile.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Sorts each of the listed segments, of at most nt * vt keys. They are counted by `counted`, and the list has room for `room`. Buckets are
/// read by of_buckets. Any grid. Dynamic shared memory: RegisterTile::shared_words items.
template <class Traffic, int nt, int vt, int shuffle_steps, int imad_quarters>
BITUNE_DEVICE void sort_listed_segments(const Traffic& of_call, const Traffic& of_buckets, const ListedSegment* listed, const u32* counted,
                                        u32 room) {
  using Item = typename Traffic::Item;
  using Tile = RaggedTile<Item, typename Traffic::template Compare<imad_quarters>, nt, vt, shuffle_steps>;
  using Registers = typename Tile::Tile;
  Item* const shared = shared_memory<Item>();
  // Where a warp has its items in memory: in layout 0 the same places, in another order.
  const u32 first = warp_index() * Tile::of_warp + lane();
  begin_launch();
  const u32 count = minimum(*counted, room);
  for (u32 i = block_index(); i < count; i += block_count()) {
    const ListedSegment found = listed[i];
    const Segment segment = found.segment();
    Traffic traffic = of_call;
    if (found.is_bucket()) traffic = of_buckets;
    Item items[vt];
    traffic.read(segment, first, warp_size, items);
    Tile::sort(shared, items, static_cast<u32>(segment.length));
    sync_warp();  // for nobody: a thread writes to the places that it read last
    Registers::template write<0, false>(shared, items);
    sync_warp();
    Item* const own = shared + Registers::padded(first);
    traffic.template write<vt>(segment, first, warp_size, [&](u32 r) -> Item& { return own[Registers::padded(r * warp_size)]; },
                               [] { sync_block(); });
    sync_warp();  // a shuffle comes before the next write
  }
}

/// Keys alone.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
block_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const typename Codec::Raw* buckets, const ListedSegment* listed,
               const u32* counted, u32 room) {
  sort_listed_segments<SegmentKeys<Codec>, nt, vt, shuffle_steps, imad_quarters>({keys, input}, {keys, buckets}, listed, counted, room);
}

}  // namespace bitune
