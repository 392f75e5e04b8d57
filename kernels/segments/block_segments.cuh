#pragma once

// Segments of a list that are sorted by a block each, or by a warp each, in registers. They take one segment after the other until the list
// ends.

#include "kernels/network/launch.cuh"
#include "kernels/segments/listed_segment.cuh"
#include "kernels/segments/ragged_tile.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"
#include "kernels/segments/segments_layout.hpp"

namespace bitune {

/// Sorts each of the listed segments, of at most nt * vt keys, by nt threads: a block, or one of `groups` warps of it. They are counted by
/// `counted`, and the list has room for `room`. Buckets are read by of_buckets. Any grid. Dynamic shared memory: layout::segment_tile_parts for
/// each group.
template <class Traffic, int nt, int vt, int groups, int shuffle_steps, bool beside_previous, bool is_last>
BITUNE_DEVICE void sort_listed_segments(const Traffic& of_call, const Traffic& of_buckets, const ListedSegment* listed, const u32* counted,
                                        u32 room) {
  using Item = typename Traffic::Item;
  using Compare = typename Traffic::Compare;
  constexpr bool by_warps = nt == warp_size;
  static_assert(groups == 1 || by_warps);
  using Registers = RegisterTile<Item, Compare, nt, vt, shuffle_steps, groups == 1>;
  constexpr layout::SegmentTileParts parts = layout::segment_tile_parts(Registers::nv, sizeof(Item), Traffic::value_bytes);
  const u32 group = by_warps ? warp_index() : 0;
  u8* const memory = shared_memory<u8>() + group * static_cast<u32>(parts.bytes);
  Item* const shared = reinterpret_cast<Item*>(memory);
  auto* const copies = reinterpret_cast<typename Traffic::Value*>(memory + parts.values);
  // Where a warp has its items in memory: in layout 0 the same places, in another order.
  const u32 first = (by_warps ? 0 : warp_index()) * (warp_size * vt) + lane();
  const auto barrier = [] { Registers::template barrier<false>(); };
  begin_launch_beside<beside_previous, is_last>();
  const u32 count = minimum(*counted, room);
  for (u32 i = block_index() * groups + group; i < count; i += block_count() * groups) {
    const ListedSegment found = listed[i];
    const Segment segment = found.segment();
    Traffic traffic = of_call;
    if (found.is_bucket()) traffic = of_buckets;
    Item items[vt];
    traffic.read(segment, first, warp_size, items);
    if constexpr (Traffic::value_bytes != 0) barrier();  // others may read the values of the segment before
    traffic.template copy_values<vt>(segment, first, warp_size, copies);
    if constexpr (by_warps) {
      LaneTile<Item, Compare, vt>::sort(items, kept(warp_size));
    } else {
      RaggedTile<Item, Compare, nt, vt, shuffle_steps>::sort(shared, items, static_cast<u32>(segment.length));
    }
    sync_warp();  // for nobody: a thread writes to the places that it read last
    Registers::template write<0, false>(shared, items);
    sync_warp();
    Item* const own = shared + Registers::padded(first);
    traffic.template write<vt, true>(segment, first, warp_size, [&](u32 r) -> Item& { return own[Registers::padded(r * warp_size)]; }, copies,
                                     barrier);
    sync_warp();  // a shuffle comes before the next write
  }
  end_launch_beside<beside_previous, is_last>();
}

/// Keys alone. Lists have nothing of each other: so one list is sorted while the list before it ends (begin_launch_beside).
template <class Codec, class Payload, int nt, int vt, int groups, int shuffle_steps, int imad_quarters, int min_blocks, bool beside_previous,
          bool is_last>
BITUNE_KERNEL(nt * groups, min_blocks)
block_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const typename Codec::Raw* buckets, const ListedSegment* listed,
               const u32* counted, u32 room) {
  sort_listed_segments<SegmentKeys<Codec, imad_quarters>, nt, vt, groups, shuffle_steps, beside_previous, is_last>({keys, input}, {keys, buckets}, listed, counted, room);
}

}  // namespace bitune
