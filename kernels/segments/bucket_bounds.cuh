#pragma once

// Buckets of long segments: what of a segment has one value of the highest digit. They are segments themselves, and shorter ones, if keys
// differ in that digit. So a long segment takes one pass, and then what its buckets take by their lengths.

#include "kernels/network/launch.cuh"
#include "kernels/radix/radix_pass.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Where buckets begin and end, behind a pass over the listed segments by their highest digit. Bucket d of segment s is at s * values + d.
/// digits: what count_long_digits counted, of segments of several tiles. Any
/// grid. Dynamic shared memory: a counter for each value.
template <int nt, int passes, int digit_bits, int counter_bytes>
BITUNE_KERNEL(nt, 1)
bound_buckets(u64* begins, u64* ends, const LongSegment* listed, ListCounters* counters, const typename Storage<counter_bytes>::Word* digits) {
  using Counter = typename Storage<counter_bytes>::Word;
  constexpr u32 values = layout::digit_values(digit_bits);
  Counter* const smaller = shared_memory<Counter>();
  begin_dependent_launch();
  const u32 count = LongSegments{nullptr, counters, 0}.count();
  for (u64 i = block_index(); i < count; i += block_count()) {
    const Counter* const counted = digits + (i * passes + passes - 1) * values;
    count_smaller_digits<nt, values>(counted, smaller);
    for (u32 digit = thread_index(); digit < values; digit += nt) {
      const u64 begin = listed[i].begin + smaller[digit];
      begins[i * values + digit] = begin;
      ends[i * values + digit] = begin + counted[digit];
    }
    sync_block();  // others may read the sums of the block's segment before
  }
}

}  // namespace bitune
