#pragma once

// Short segments of keys with values or indices.

#include "kernels/segments/segment_pairs.cuh"
#include "kernels/segments/short_segments.cuh"

namespace bitune {

/// As short_segments.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, bool are_buckets, int nt, int segments,
          int most_items, int copied_keys, int lists, int octaves, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
short_pair_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, typename CarriedValue<value_bytes>::Type* values,
                    const typename CarriedValue<value_bytes>::Type* given_values, typename CarriedValue<index_bytes>::Type* indices,
                    const u8* offsets, u64 offset_bytes, const u8* ends, u64 count, u64 n, ListCounters* counters,
                    ListedSegment* listed, ListCounters* long_counters, LongSegment* long_listed, u64 class_segments, u64 class_keys,
                    u32 long_tile_keys) {
  share_segments<are_buckets, segments, (lists > 0)>(count, counters, [&](u64 first_segment, u64 all) {
    sort_short_segments<SegmentPairs<Codec, form, value_bytes, index_bytes, writes_keys, imad_quarters>, EqualSegments<Codec, nt, 0>, are_buckets, nt, segments,
                        most_items, copied_keys, lists, octaves>({keys, input, values, given_values, indices}, {offsets, ends, offset_bytes, n},
                                                first_segment, all, counters, listed, {long_listed, long_counters, n}, class_segments,
                                                class_keys, long_tile_keys, 0);
  });
}

}  // namespace bitune
