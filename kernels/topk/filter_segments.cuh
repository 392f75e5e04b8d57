#pragma once

// The first k keys of segments: a block streams a segment, whatever its length, as bin_rows does a row (row_filter.cuh).

#include "kernels/segments/segments.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// Writes the first k keys of each segment to a row of its own, as select_rows does. A segment of fewer keys is a row with a length.
/// keys: of the call.
///
/// Threads have `loads` vectors of 16 bytes under way. The bound is one of nt * samples samples. capacity: candidates of a segment that
/// there is room for, at least k + nt.
/// Grid: a block for each segment (ranks is 1). Dynamic shared memory: layout::filtered_row.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int loads, int samples, int capacity,
          int ranks, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
filter_segments(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in,
                typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                const typename CarriedValue<value_bytes>::Type* values_in, typename CarriedValue<index_bytes>::Type* indices_out,
                u64 indices_out_stride, const u8* begins, u64 width, const u8* ends, u64 keys, u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Filter = RowFilter<Row, nt, samples, capacity, ranks, shuffle_steps>;
  static_assert(ranks == 1);
  Filter filter;
  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = block_index();
  const Segment segment = SegmentOffsets{begins, ends, width, keys}.segment_of(index);
  const u32 length = static_cast<u32>(segment.length);
  const u32 wanted = minimum(k, length);
  const auto* const values = value_bytes == 0 ? values_in : values_in + segment.begin;
  const Row row(index, keys_out, keys_out_stride, keys_in + segment.begin, 0, values_out, values_out_stride, values, 0, indices_out,
                indices_out_stride);
  const KeyStream<Codec, Row, nt, loads> stream(row, length);
  const u32 bound_rank = length > capacity ? sample_rank_of(Filter::sample_count, wanted, length) : 0;
  filter.write_first(row, length, k, wanted, stream, true, bound_rank);
}

}  // namespace bitune
