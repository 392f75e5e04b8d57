#pragma once

// The first k keys of long rows of floating-point numbers, as bin_rows has them; keys are compared as they are (number_stream.cuh).

#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/number_stream.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// RowFilter, whose candidates are fetched.
template <class Row, int nt, int samples, int capacity, int ranks, int shuffle_steps>
struct NumberFilter : RowFilter<Row, nt, samples, capacity, ranks, shuffle_steps> {
  using Base = RowFilter<Row, nt, samples, capacity, ranks, shuffle_steps>;
  using Buffer = typename Base::Buffer;
  using Item = typename Row::Item;
  using Base::candidates;
  using Base::count;
  using Base::rank;

  /// Takes candidates of the stream, whose keys are there when they are gathered.
  template <class Stream>
  BITUNE_DEVICE auto taking_from(const Stream& stream) const {
    return [this, &stream](u32 bits, const auto& place) {
      u32 to = atomic_add(count, bit_count(bits));
      for (; bits != 0 && to < capacity; bits &= bits - 1, ++to) stream.fetch(candidates[to], place(lowest_bit(bits)));
    };
  }

  /// As RowFilter::gather. A thread may read those at its own number, and at distances of nt, before another barrier.
  BITUNE_DEVICE u32 gather() const {
    const auto send = [&](const Buffer& to, u32 begin, u32 all) {
      if (all > capacity) return;
      for (u32 i = thread_index(); i < *count; i += nt) to[begin + i] = fetched<Row>(candidates[i]);
    };
    cp_async_wait_all();
    if constexpr (ranks == 1) {
      sync_block();
      send(candidates, 0, *count);
      return *count;
    } else {
      sync_cluster();
      u32 of_block = 0;
      if (lane() < ranks) of_block = *shared_of_rank(count, lane());
      const ThreadSums all = RowSums<static_cast<int>(warp_size)>(nullptr)(of_block);
      const u32 before = shuffle(all.before, rank);
      send(rank == 0 ? candidates : Buffer{shared_of_rank(candidates.items, 0)}, before, all.all);
      sync_cluster();
      return all.all;
    }
  }
};

/// Writes the first k keys of each row of n keys, as filter_rows does, with the same arguments.
/// Grid: one cluster of `ranks` blocks a row (1: a block). Dynamic shared memory: layout::filtered_row, and layout::row_bins behind it.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int loads, int samples, int capacity,
          int ranks, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
bin_numbers(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
            typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
            const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
            typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n, u32 k,
            u32 sample_rank) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Item = typename Row::Item;
  using Filter = NumberFilter<Row, nt, samples, capacity, ranks, shuffle_steps>;
  using Binned = BinnedCandidates<Row, typename Filter::Buffer, nt, capacity>;
  using Keys = KeyStream<Codec, Row, nt, loads>;
  Filter filter;
  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = ranks == 1 ? block_index() : block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  const u32 wanted = minimum(k, length);
  const Row row(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                indices_out, indices_out_stride);
  const NumberStream<Codec, Row, nt, loads> stream(row, length);

  Item bound = last_item<typename Row::Form>();
  if (length > capacity) {
    bound = filter.sampled_bound(stream, length == n ? sample_rank : sample_rank_of(Filter::sample_count, wanted, length));
  } else {
    sync_block();  // thread 0 has set the count
  }
  stream.pass_share(bound, filter.rank, ranks, filter.taking_from(stream));
  const u32 all = filter.gather();
  if (filter.rank != 0) return;
  if (all < wanted || all > capacity) return filter.write_first(row, length, k, wanted, static_cast<const Keys&>(stream), false, 0);
  Binned(filter.candidates, shared_memory<u8>() + Filter::parts().bytes).write_first(row, k, all, wanted, filter.sums);
}

}  // namespace bitune
