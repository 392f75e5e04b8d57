#pragma once

// Segments of a list whose keys have values or indices, by digits: a block sorts one after the other in shared memory (digit_row.cuh). Where
// segments have thousands of keys that takes less than a network. Of those that three quarters of a thread's items hold, each thread has so many.

#include "kernels/network/launch.cuh"
#include "kernels/radix/digit_row.cuh"
#include "kernels/segments/listed_segment.cuh"

namespace bitune {

/// Where a listed segment lies. Of buckets what is read lies elsewhere. The list is read anew for each: a thread's registers are full.
template <class Raw, class Value, class Index>
struct SegmentInMemory {
  static constexpr int stored_at_once = 16;
  Raw* keys;
  const Raw* input;
  const Raw* buckets;
  Value* values;
  const Value* given_values;
  const Value* bucket_values;
  Index* indices;
  const ListedSegment* found;

  BITUNE_DEVICE u64 begin() const { return found->segment().begin; }
  BITUNE_DEVICE Raw* keys_out() const { return keys + begin(); }
  BITUNE_DEVICE const Raw* keys_in() const { return (found->is_bucket() ? buckets : input) + begin(); }
  BITUNE_DEVICE Value* values_out() const { return values + begin(); }
  BITUNE_DEVICE const Value* values_in() const { return (found->is_bucket() ? bucket_values : given_values) + begin(); }
  BITUNE_DEVICE Index* indices_out() const { return indices + begin(); }
};

/// As block_pair_segments. Dynamic shared memory: layout::digit_row_parts.
template <class Codec, class Payload, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int bits, int min_blocks,
          bool beside_previous, bool is_last>
BITUNE_KERNEL(nt, min_blocks)
digit_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const typename Codec::Raw* buckets,
               typename CarriedValue<value_bytes>::Type* values, const typename CarriedValue<value_bytes>::Type* given_values,
               const typename CarriedValue<value_bytes>::Type* bucket_values, typename CarriedValue<index_bytes>::Type* indices,
               const ListedSegment* listed, const u32* counted, u32 room) {
  constexpr int fewer = vt * 3 / 4;
  begin_launch_beside<beside_previous, is_last>();
  for (u32 i = block_index(); i < minimum(*counted, room); i += block_count()) {
    const SegmentInMemory<typename Codec::Raw, typename CarriedValue<value_bytes>::Type, typename CarriedValue<index_bytes>::Type> memory{
        keys, input, buckets, values, given_values, bucket_values, indices, listed + i};
    const u32 length = static_cast<u32>(listed[i].length);
    if (length <= u32{nt} * fewer) {
      sort_row_by_digits<Codec, value_bytes, index_bytes, writes_keys, nt, fewer, bits>(shared_memory<u8>(), memory, length);
    } else {
      sort_row_by_digits<Codec, value_bytes, index_bytes, writes_keys, nt, vt, bits>(shared_memory<u8>(), memory, length);
    }
    sync_block();  // others may read the values of this segment
  }
  end_launch_beside<beside_previous, is_last>();
}

}  // namespace bitune
