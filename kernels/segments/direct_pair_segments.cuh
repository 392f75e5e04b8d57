#pragma once

// A few segments of keys with values or indices.

#include "kernels/segments/direct_segments.cuh"
#include "kernels/segments/segment_pairs.cuh"

namespace bitune {

/// As direct_segments.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int least,
          int shuffle_steps, int imad_quarters, int ranks, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
direct_pair_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, typename CarriedValue<value_bytes>::Type* values,
                     const typename CarriedValue<value_bytes>::Type* given_values, typename CarriedValue<index_bytes>::Type* indices,
                     const u8* offsets, u64 offset_bytes, const u8* ends, u64 count, u64 n, u64 most, ListCounters* counters,
                     LongSegment* listed, u32 long_tile_keys) {
  sort_segments_directly<SegmentPairs<Codec, form, value_bytes, index_bytes, writes_keys, imad_quarters>, nt, vt, least, shuffle_steps, ranks>(
      {keys, input, values, given_values, indices}, {offsets, ends, offset_bytes, n}, count, most, counters, listed, long_tile_keys);
}

/// As cluster_segments.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int least,
          int shuffle_steps, int imad_quarters, int ranks, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
cluster_pair_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, typename CarriedValue<value_bytes>::Type* values,
                      const typename CarriedValue<value_bytes>::Type* given_values, typename CarriedValue<index_bytes>::Type* indices,
                      ListCounters* counters, LongSegment* listed) {
  sort_listed_by_clusters<SegmentPairs<Codec, form, value_bytes, index_bytes, writes_keys, imad_quarters>, nt, vt, least, shuffle_steps,
                          ranks>({keys, input, values, given_values, indices}, {listed, counters, 0});
}

}  // namespace bitune
