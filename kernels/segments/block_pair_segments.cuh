#pragma once

// Listed segments of keys with values or indices.

#include "kernels/segments/block_segments.cuh"
#include "kernels/segments/segment_pairs.cuh"

namespace bitune {

/// As block_segments.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int groups,
          int shuffle_steps, int imad_quarters, int min_blocks, bool beside_previous, bool is_last>
BITUNE_KERNEL(nt * groups, min_blocks)
block_pair_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const typename Codec::Raw* buckets,
                    typename CarriedValue<value_bytes>::Type* values, const typename CarriedValue<value_bytes>::Type* given_values,
                    const typename CarriedValue<value_bytes>::Type* bucket_values, typename CarriedValue<index_bytes>::Type* indices,
                    const ListedSegment* listed, const u32* counted, u32 room) {
  sort_listed_segments<SegmentPairs<Codec, form, value_bytes, index_bytes, writes_keys, imad_quarters>, nt, vt, groups, shuffle_steps, beside_previous, is_last>(
      {keys, input, values, given_values, indices}, {keys, buckets, values, bucket_values, indices}, listed, counted, room);
}

}  // namespace bitune
