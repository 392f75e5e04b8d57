#pragma once

// The first k keys of one long array, k being small. As in filter_array.cuh a sample gives a bound, and the whole device keeps what is not
// behind it. But nothing of the sample is sorted, and little of what is kept: both the bound of the array and the one of the candidates
// come from minima (minima_bound.cuh).

#include "kernels/network/launch.cuh"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/ranked_candidates.cuh"
#include "kernels/topk/row_filter.cuh"
#include "kernels/topk/sampled_keys.cuh"

namespace bitune {

/// The first launch, in the place of sample_bound: a bound that at least `sample_rank` of the ranks * nt * vt samples are not behind (all ones
/// where there are not so many groups). Sets `count` to 0.
///
/// groups: of the sample, `ranks` to ranks * nt. Grid: one cluster of `ranks` blocks. Dynamic shared memory: layout::sampled_minima.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int ranks, int groups>
BITUNE_KERNEL(nt, 1)
sample_minima(typename Placed<typename Codec::Word, form>::Item* bound, u32* count, const typename Codec::Raw* keys, const u8* lengths,
              u64 length_bytes, u32 n, u32 k, u32 sample_rank) {
  using Form = Placed<typename Codec::Word, form>;
  using Sample = SampledKeys<FirstKeysCodec<Codec, carries>, nt, vt, ranks, groups>;
  if constexpr (ranks > 1) arrive_at_cluster();
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 bound_rank = length == n ? sample_rank : sample_rank_of(Sample::count, minimum(k, length), length);
  const Sample sample(keys, length);
  sample.gather_minima();
  if ((ranks != 1 && cluster_rank() != 0) || warp_index() != 0) return;
  const bool has_bound = bound_rank <= groups && length != 0;
  const PlacedBound<typename Codec::Word> found = sample.minima().bound(has_bound ? bound_rank : 1);
  if (lane() == 0) {
    *bound = has_bound ? Form::make(found.word, found.end - 1) : last_item<Form>();
    *count = 0;
  }
}

/// The last launch, in the place of filter_candidates: a block holds the candidates in registers, up to nt * vt of them.
///
/// groups: of candidates, at least k and at most nt. capacity: candidates that are put in order, at least k + nt.
/// Grid: one block. Dynamic shared memory: layout::filtered_row of 2 samples a thread.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int groups, int capacity>
BITUNE_KERNEL(nt, 1)
select_candidates(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
                  const typename CarriedValue<value_bytes>::Type* values_in, typename CarriedValue<index_bytes>::Type* indices_out,
                  const u8* lengths, u64 length_bytes, u32 n, u32 k, const typename Placed<typename Codec::Word, form>::Item* items, u32 room,
                  const u32* count) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Form = typename Row::Form;
  using Item = typename Row::Item;
  using Word = typename Codec::Word;
  constexpr int samples = 2;
  using Filter = RowFilter<Row, nt, samples, capacity, 1, 2>;
  static_assert(groups <= nt);
  Filter filter;
  u32* const taken = filter.count + 1;  // beside that of the filter, which counts if it is needed
  if (thread_index() == 0) *taken = 0;
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 wanted = minimum(k, length);
  const u32 found = *count;
  const Row row(0, keys_out, 0, keys_in, 0, values_out, 0, values_in, 0, indices_out, 0);
  const bool complete = found >= wanted && found <= room;

  if (complete && found <= u32{nt} * vt) {
    Item mine[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = r * nt + thread_index();
      mine[r] = i < found ? items[i] : last_item<Form>();
    }
    Item least = mine[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) least = mine[r] < least ? mine[r] : least;
    Word* const words = shared_memory<Word>();
    u32* const places = reinterpret_cast<u32*>(words + nt);
    reduce_minima<nt, groups>(words, places, PlacedWord<Word>{Form::key(least), Form::place(least)});
    sync_block();  // else the bound is wrong, once in many times
    if (warp_index() == 0) {
      const PlacedBound<Word> bound = Minima<Word, groups>{words, places}.bound(maximum(wanted, 1u));
      if (lane() == 0) *filter.shared_bound = Form::make(bound.word, bound.end - 1);
    }
    sync_block();
    const Item bound = *filter.shared_bound;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (bound < mine[r] || r * nt + thread_index() >= found) continue;
      const u32 to = atomic_add(taken, 1);
      if (to < capacity) filter.candidates[to] = mine[r];
    }
    sync_block();
    const u32 all = *taken;
    if (all <= layout::ranked_candidates()) return write_ranked<typename Filter::Buffer, Row, nt>(filter.candidates, row, k, all, wanted);
    if (all <= capacity) {
      filter.candidates.template sort<capacity>(all);
      return filter.candidates.write_first(row, k, wanted);
    }
  }
  // There are more candidates than registers for them, or more up to the bound than room; or the sample was unlucky.
  const ItemStream<Item, nt, 4> stream{items, found};
  filter.write_first(row, length, k, wanted, stream, complete, sample_rank_of(Filter::sample_count, wanted, maximum(found, 1u)));
}

}  // namespace bitune
