#pragma once

// All segments as long ones, for who sorts them by digits alone.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Lists each segment that has at least two keys. What of a single one travels with it, is written here: its key, unless keys are not
/// written, and its value, or the index 0. Where nothing travels, value_bytes is 0. Any grid.
template <int nt, int key_bytes, bool writes_keys, int value_bytes, bool makes_indices, u32 tile_keys>
BITUNE_KERNEL(nt, 1)
list_segments(typename Storage<key_bytes>::Raw* keys_out, const typename Storage<key_bytes>::Raw* keys_in,
              typename CarriedValue<value_bytes>::Type* values_out, const typename CarriedValue<value_bytes>::Type* values_in,
              const u8* begins, u64 width, const u8* ends, u64 segments, u64 keys, ListCounters* counters, LongSegment* listed) {
  begin_dependent_launch();
  const SegmentOffsets offsets{begins, ends, width, keys};
  const LongSegments list{listed, counters, keys};
  for (u64 i = u64{block_index()} * nt + thread_index(); i < segments; i += u64{block_count()} * nt) {
    const Segment segment = offsets.segment_of(i);
    if (segment.length > 1) {
      list.append(segment, tile_keys);
    } else if (segment.length == 1) {
      if constexpr (writes_keys) keys_out[segment.begin] = keys_in[segment.begin];
      if constexpr (makes_indices) {
        values_out[segment.begin] = 0;
      } else if constexpr (value_bytes != 0) {
        values_out[segment.begin] = values_in[segment.begin];
      }
    }
  }
}

}  // namespace bitune
