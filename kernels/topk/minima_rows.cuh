#pragma once

// The first k keys of long rows, as bin_rows has them. But the bound is from the minima of groups of samples, of which all blocks take some.

#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// Writes the first k keys of each row of n keys, as bin_rows does. The bound is the sample_rank-th of the minima of `groups` groups of ranks * nt * samples
/// samples. capacity: candidates of a row that there is room for, at least k + nt.
/// Grid: one cluster of `ranks` blocks a row (1: a block). Dynamic shared memory: layout::filtered_row, and layout::row_bins behind it.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int loads, int samples, int groups,
          int capacity, int ranks, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
minima_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
         typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
         const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
         typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n, u32 k,
         u32 sample_rank) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Filter = RowFilter<Row, nt, samples, capacity, ranks, shuffle_steps, groups>;
  using Binned = BinnedCandidates<Row, typename Filter::Buffer, nt, capacity>;
  Filter filter;
  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = ranks == 1 ? block_index() : block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  const u32 wanted = minimum(k, length);
  const Row row(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                indices_out, indices_out_stride);
  const KeyStream<Codec, Row, nt, loads> stream(row, length);

  const auto bound = filter.bound_of(stream, length == n ? RowSample{sample_rank} : Filter::sample_of(wanted, length));
  stream.pass_share(bound, filter.rank, ranks, filter.taking_from(stream));
  const u32 all = filter.gather(stream);
  if (filter.rank != 0) return;
  if (all >= wanted && all <= capacity) {
    return Binned(filter.candidates, shared_memory<u8>() + Filter::parts().bytes).write_first(row, k, all, wanted, filter.sums);
  }
  filter.template write_sorted<capacity>(row, k, wanted, [&](u32 i) { return row.item(i); }, length, false, 0);
}

}  // namespace bitune
