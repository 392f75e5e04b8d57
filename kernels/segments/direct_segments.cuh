#pragma once

// A few segments: a block for each, or a cluster of blocks, and no lists by length. The offsets are read by who sorts. So segments of all
// lengths that a cluster holds take one launch, beside each other, and as long as the longest of them. What is longer is listed, for
// larger clusters or for a sort by digits.

#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/segments/ragged_tile.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Sorts a segment of at most ranks * nt * vt keys by all blocks of the cluster; of one block alone, if ranks is 1.
template <class Traffic, int nt, int vt, int shuffle_steps, int ranks>
BITUNE_DEVICE void sort_tile_of_segment(const Traffic& traffic, Segment segment) {
  using Item = typename Traffic::Item;
  using Compare = typename Traffic::Compare;
  using Block = RegisterTile<Item, Compare, nt, vt, shuffle_steps>;
  Item* const shared = shared_memory<Item>();
  const u32 in_block = warp_index() * (warp_size * vt) + lane();
  const u32 first = ranks == 1 ? in_block : cluster_rank() * Block::nv + in_block;
  Item items[vt];
  traffic.read(segment, first, warp_size, items);
  if constexpr (ranks == 1) {
    RaggedTile<Item, Compare, nt, vt, shuffle_steps>::sort(shared, items, static_cast<u32>(segment.length));
  } else {
    ClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks>::sort(shared, items);
  }
  Block::template write<0, false>(shared, items);  // to the places that the thread read last
  sync_warp();
  Item* const own = shared + Block::padded(in_block);
  traffic.template write<vt, false>(segment, first, warp_size, [&](u32 r) -> Item& { return own[Block::padded(r * warp_size)]; }, nullptr,
                             [] {
                               if constexpr (ranks == 1) {
                                 sync_block();
                               } else {
                                 sync_cluster();
                               }
                             });
}

/// The same with half as many items a thread, down to least, where they hold it: so a shorter segment has as many warps, and each of
/// these less to do. What a block holds then is sorted by the first one.
template <class Traffic, int nt, int vt, int least, int shuffle_steps, int ranks>
BITUNE_DEVICE void sort_segment(const Traffic& traffic, Segment segment) {
  if constexpr (vt > least) {
    if (segment.length <= ranks * nt * vt / 2) {
      return sort_segment<Traffic, nt, vt / 2, least, shuffle_steps, ranks>(traffic, segment);
    }
  } else if constexpr (ranks > 1) {
    if (segment.length <= nt * vt) {
      if (cluster_rank() == 0) sort_tile_of_segment<Traffic, nt, vt, shuffle_steps, 1>(traffic, segment);
      return;
    }
  }
  sort_tile_of_segment<Traffic, nt, vt, shuffle_steps, ranks>(traffic, segment);
}

/// Sorts segments of up to ranks * nt * vt keys: cluster i has segment i. The cluster behind all of them, if there is one, lists those that
/// are longer; the counters need not be cleared before. most: segments that the plan was made for. Dynamic shared memory:
/// RegisterTile::shared_words items.
template <class Traffic, int nt, int vt, int least, int shuffle_steps, int ranks>
BITUNE_DEVICE void sort_segments_directly(const Traffic& traffic, const SegmentOffsets& offsets, u64 count, u64 most, ListCounters* counters,
                                          LongSegment* listed, u32 long_tile_keys) {
  constexpr u64 longest = u64{ranks} * nt * vt;
  begin_launch();
  const u32 index = block_index() / ranks;
  if (index == most) {
    if (ranks > 1 && cluster_rank() != 0) return;
    for (u32 i = thread_index(); i < sizeof(ListCounters) / sizeof(u32); i += nt) reinterpret_cast<u32*>(counters)[i] = 0;
    sync_block();
    const LongSegments longer{listed, counters, offsets.keys};
    for (u64 i = thread_index(); i < count; i += nt) {
      const Segment segment = offsets.segment_of(i);
      if (segment.length > longest) longer.append(segment, long_tile_keys);
    }
  } else if (index < count) {
    const Segment segment = offsets.segment_of(index);
    if (segment.length > longest || segment.length == 0) return;
    if (segment.length == 1) {
      if (thread_index() == 0 && (ranks == 1 || cluster_rank() == 0)) traffic.write_one(segment.begin);
      return;
    }
    sort_segment<Traffic, nt, vt, least, shuffle_steps, ranks>(traffic, segment);
  }
}

/// Sorts the listed segments, of up to ranks * nt * vt keys: a cluster takes one after the other. Any number of clusters. Dynamic shared
/// memory as above.
template <class Traffic, int nt, int vt, int least, int shuffle_steps, int ranks>
BITUNE_DEVICE void sort_listed_by_clusters(const Traffic& traffic, const LongSegments& longer) {
  begin_launch();
  for (u32 i = block_index() / ranks; i < longer.count(); i += block_count() / ranks) {
    sort_segment<Traffic, nt, vt, least, shuffle_steps, ranks>(traffic, {longer.listed[i].begin, longer.listed[i].length});
    sync_warp();
  }
}

/// Keys alone. Grid: a cluster of `ranks` blocks for each of `most` segments, and one more where any may be longer than these hold.
template <class Codec, class Payload, int nt, int vt, int least, int shuffle_steps, int imad_quarters, int ranks, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
direct_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const u8* offsets, u64 offset_bytes, const u8* ends, u64 count,
                u64 n, u64 most, ListCounters* counters, LongSegment* listed, u32 long_tile_keys) {
  sort_segments_directly<SegmentKeys<Codec, imad_quarters>, nt, vt, least, shuffle_steps, ranks>(
      {keys, input}, {offsets, ends, offset_bytes, n}, count, most, counters, listed, long_tile_keys);
}

/// The longer ones, of keys alone.
template <class Codec, class Payload, int nt, int vt, int least, int shuffle_steps, int imad_quarters, int ranks, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
cluster_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, ListCounters* counters, LongSegment* listed) {
  sort_listed_by_clusters<SegmentKeys<Codec, imad_quarters>, nt, vt, least, shuffle_steps, ranks>({keys, input}, {listed, counters, 0});
}

}  // namespace bitune
