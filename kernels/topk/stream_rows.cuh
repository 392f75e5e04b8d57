#pragma once

// The first k keys of long rows, by blocks or clusters that stay, and take one row after the other (key_ring.cuh).
//
// As in row_filter.cuh a bound from random samples lets few keys through. But nothing waits for it: while a row streams, one warp takes the
// samples of the next one, and finds the bound among the minima of groups of them. What has passed goes to bins (binned_candidates.cuh).

#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/key_ring.cuh"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/row_filter.cuh"
#include "kernels/topk/sample_places.cuh"
#include "kernels/topk/streamed_layout.hpp"

namespace bitune {

/// By one warp: the bound of the first keys of a row of `length` keys. It is the rank-th minimum of `groups` groups of `samples` samples:
/// as many samples are up to it at least. minima: in shared memory.
template <class Row, int samples, int groups, class Word>
BITUNE_DEVICE typename Row::Item bound_by_warp(const Row& row, u32 length, u32 rank, const Minima<Word, groups>& minima) {
  constexpr u32 at_once = 4;  // samples of a lane
  static_assert(samples >= groups && samples % (at_once * warp_size) == 0);
  if (rank > groups) return last_item<typename Row::Form>();
  const SamplePlaces chosen;
  BITUNE_UNROLL_N(1)
  for (u32 first = lane(); first < samples; first += at_once * warp_size) {
    u32 places[at_once];
    Word words[at_once];
    BITUNE_UNROLL
    for (u32 i = 0; i < at_once; ++i) {
      places[i] = chosen(first + i * warp_size, samples, length);
      words[i] = Row::Order::encode(row.keys[places[i]]);
    }
    BITUNE_UNROLL
    for (u32 i = 0; i < at_once; ++i) {
      const u32 sample = first + i * warp_size;
      const u32 group = sample % groups;
      const PlacedWord<Word> taken{words[i], places[i]};
      if (sample < groups || taken < PlacedWord<Word>{minima.words[group], minima.places[group]}) minima.set(group, taken);
    }
  }
  sync_warp();
  const PlacedBound<Word> bound = minima.bound(rank);
  sync_warp();
  return Row::Form::make(bound.word, bound.end - 1);
}

/// Where a row's share begins and ends in a block, in vectors.
template <class Raw>
struct VectorShare {
  const Raw* vectors;
  u32 first;
  u32 last;
};

/// Writes the first k keys of each of `rows` rows of n keys, as select_rows does.
///
/// A thread copies `loads` vectors of 16 bytes at once, and has `stages` times as many under way. The bound is the sample_rank-th of the
/// minima of `groups` groups of `samples` samples. capacity: candidates of a row that there is room for, at least k + nt.
/// Grid: as many clusters of `ranks` blocks as run at once (1: blocks). Dynamic shared memory: layout::streamed_row.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int loads, int stages, int samples,
          int groups, int capacity, int ranks, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
stream_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
            typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
            const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
            typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 rows,
            u32 n, u32 k, u32 sample_rank) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Form = typename Row::Form;
  using Item = typename Row::Item;
  using Filter = RowFilter<Row, nt, 1, capacity, ranks, 2>;
  using Stream = KeyStream<Codec, Row, nt, loads>;
  using Binned = BinnedCandidates<Row, typename Filter::Buffer, nt, capacity>;
  constexpr layout::StreamedRow parts =
      layout::streamed_row(nt, loads * stages, groups, capacity, sizeof(Item), sizeof(Word));
  constexpr int vector = Stream::vector;
  constexpr u32 sampling_warp = nt / warp_size - 1;
  u8* const shared = shared_memory<u8>();
  Filter filter;
  u32* const counts = filter.count;                                      // of two rows in turn
  Item* const bounds = reinterpret_cast<Item*>(shared + parts.bounds);  // likewise
  Word* const words = reinterpret_cast<Word*>(shared + parts.minima);
  const Minima<Word, groups> minima{words, reinterpret_cast<u32*>(words + groups)};
  if (thread_index() == 0) counts[1] = 0;  // the filter has set the other one

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const auto row_of = [&](u32 index) {
    return Row(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
               indices_out, indices_out_stride);
  };
  const auto share_of = [&](u32 index) {
    const Row row = row_of(index);
    const Stream stream(row, counted_keys(lengths, length_bytes, index, n));
    return VectorShare<Raw>{row.keys + stream.head, static_cast<u32>(u64{stream.count} * filter.rank / ranks),
                            static_cast<u32>(u64{stream.count} * (filter.rank + 1) / ranks)};
  };
  const auto find_bound = [&](u32 index, Item* bound) {
    if (filter.rank != 0 || warp_index() != sampling_warp || index >= rows) return;
    const u32 length = counted_keys(lengths, length_bytes, index, n);
    Item found = last_item<Form>();
    if (length > capacity) {
      const u32 rank = length == n ? sample_rank : sample_rank_of(samples, minimum(k, length), length);
      found = bound_by_warp<Row, samples, groups>(row_of(index), length, rank, minima);
    }
    if (lane() == 0) *bound = found;
  };
  const RowTurns turns{static_cast<u32>(block_index() / ranks), static_cast<u32>(block_count() / ranks), rows};
  KeyRing<Codec, nt, loads, stages, decltype(share_of)> ring(shared + parts.ring, share_of, turns);
  u32 turn = 1;
  bool is_first = true;
  for (u32 next = turns.first; is_first || next - turns.step < rows; next += turns.step, turn ^= 1) {
    sync_block();  // the bound is there, and nobody reads the row before it any more
    find_bound(next, bounds + (turn ^ 1));
    if (is_first) {
      is_first = false;
      if constexpr (ranks > 1) sync_cluster();  // else the bound is wrong, which costs time alone
      continue;
    }
    const u32 index = next - turns.step;
    const Row row = row_of(index);
    const u32 length = counted_keys(lengths, length_bytes, index, n);
    const u32 wanted = minimum(k, length);
    const Stream stream(row, length);
    filter.count = counts + turn;
    const Item bound = ranks == 1 ? bounds[turn] : *shared_of_rank(bounds + turn, 0);
    const auto append = [&](u32 bits, const auto& item) {
      u32 to = atomic_add(filter.count, bit_count(bits));
      for (; bits != 0 && to < capacity; bits &= bits - 1, ++to) filter.candidates[to] = item(lowest_bit(bits));
    };
    if (thread_index() == 0) counts[turn ^ 1] = 0;
    if (filter.rank == 0 && warp_index() == 0 && length != stream.count * vector) {
      stream.pass_ends(bound, [&](u32 bits, const auto& place) {
        append(bits, [&](u32 bit) { return row.item(place(bit)); });
      });
    }

    const VectorShare<Raw> share = share_of(index);
    for (u32 base = share.first; base < share.last; base += Stream::chunk) {
      ring.wait();
      const u64 begin = stream.head + u64{base} * vector;
      const auto limit = limit_of<Codec, typename Row::Order, Form>(bound, begin, begin + u64{Stream::chunk} * vector);
      const u32 mine = base + thread_index();
      u32 bits = 0;
      const auto compare = [&](const auto& with) {
        BITUNE_UNROLL
        for (int i = 0; i < loads; ++i) {
          Raw raw[vector];
          load_vector(ring.slot(i), raw);
          BITUNE_UNROLL
          for (int j = 0; j < vector; ++j) bits |= with.passes(raw[j]) ? u32{1} << (i * vector + j) : 0;
        }
      };
      compare_with<Codec>(limit.limit, compare);
      if (!limit.passes) bits = 0;
      if (share.last - base < Stream::chunk) {
        const u32 here = mine < share.last ? minimum((share.last - mine + nt - 1) / nt, u32{loads}) : 0;
        bits &= static_cast<u32>((u64{1} << here * vector) - 1);
      }
      if (bits != 0) {
        const auto item = [&](u32 bit) {
          return Form::make(Row::Order::encode(ring.slot(bit / vector)[bit % vector]),
                            stream.head + (mine + bit / vector * nt) * vector + bit % vector);
        };
        if (limit.straddles) {
          for (u32 left = bits; left != 0; left &= left - 1) {
            if (bound < item(lowest_bit(left))) bits ^= left & (0 - left);
          }
        }
        if (bits != 0) append(bits, item);
      }
      ring.advance();
    }
    const u32 all = filter.gather([](const Item& candidate) { return candidate; });
    if (filter.rank != 0) continue;
    const Row result = row_of(kept(index));  // made anew: no register holds it while keys stream
    const bool fits = all >= wanted && all <= capacity;
    if (fits && Binned(filter.candidates, shared + parts.bins).write_if_few_alike(result, k, all, wanted, filter.sums)) continue;
    filter.template write_sorted<capacity>(result, k, wanted, [&](u32 i) { return result.item(i); }, length, fits, all);
  }
}

}  // namespace bitune
