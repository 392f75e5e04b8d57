#pragma once

// The first k keys of segments that are sorted.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/first_keys.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Copies the first k keys of each segment, and what travels with them, to a row of its own. What a row lacks is filled. keys_out: null
/// where it is not asked for. keys: of the call. Any grid.
template <class Codec, class Payload, int value_bytes, int index_bytes, int nt>
BITUNE_KERNEL(nt, 1)
cut_segments(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* sorted_keys,
             typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
             const typename CarriedValue<value_bytes>::Type* sorted_values, typename CarriedValue<index_bytes>::Type* indices_out,
             u64 indices_out_stride, const typename CarriedValue<index_bytes>::Type* sorted_indices, const u8* begins, u64 width,
             const u8* ends, u64 segments, u64 keys, u64 k) {
  begin_launch();
  const SegmentOffsets offsets{begins, ends, width, keys};
  const u64 all = segments * k;
  for (u64 i = u64{block_index()} * nt + thread_index(); i < all; i += u64{block_count()} * nt) {
    const u64 row = i / k;
    const u64 place = i - row * k;
    const Segment segment = offsets.segment_of(row);
    const bool is_there = place < segment.length;
    const u64 from = segment.begin + place;
    if (keys_out != nullptr) {
      keys_out[row * keys_out_stride + place] = is_there ? sorted_keys[from] : Codec::decode(FirstKeysCodec<Codec, false>::last);
    }
    if constexpr (value_bytes != 0) {
      using Value = typename CarriedValue<value_bytes>::Type;
      values_out[row * values_out_stride + place] = is_there ? sorted_values[from] : Value{};
    }
    if constexpr (index_bytes != 0) {
      using Index = typename CarriedValue<index_bytes>::Type;
      indices_out[row * indices_out_stride + place] = is_there ? sorted_indices[from] : no_index<Index>();
    }
  }
}

}  // namespace bitune
