#pragma once

// The first k keys of rows that the registers of a cluster of blocks hold (sm_90 on), in one launch (cluster_choice.cuh).

#include "kernels/topk/cluster_choice.cuh"

namespace bitune {

/// Writes the first k keys of each row of n keys (at most ranks * nt * vt), as select_rows does; k is at most `groups`.
///
/// groups: of a row's keys, `ranks` to ranks * nt. capacity: candidates that there is room for, at least k.
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory: layout::selected_cluster.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int vector, int ranks, int groups,
          int capacity, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
select_cluster(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
               typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
               const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
               typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n,
               u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Choice = ClusterChoice<Codec, Row, nt, ranks, groups, capacity, shuffle_steps>;
  arrive_at_cluster();
  if (thread_index() == 0) *Choice::count() = 0;

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  ClusterKeys<Codec, typename Row::Order, form, nt, vt, vector, ranks> keys;
  keys.load(keys_in + index * keys_in_stride, length);

  Choice::find_minima(keys.least());
  wait_for_cluster();
  Choice::tell_minima();
  Choice::find_bound(minimum(k, length), length);
  const u32 all = Choice::gather(keys, 0, [] {});
  const auto row_of = [&] {
    return Row(opaque(block_index()) / ranks, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in,
               values_in_stride, indices_out, indices_out_stride);
  };
  if (cluster_rank() == 0) Choice::write_first(row_of, k, all);
  sync_cluster();  // others may read this block's until then
}

}  // namespace bitune
