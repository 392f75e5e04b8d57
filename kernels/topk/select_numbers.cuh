#pragma once

// The first k keys of rows of numbers of 32 bits, as select_rows has them. But numbers need no words: they are compared as they are. NaNs
// pass any bound then, or none, as they do in order. Where that does not do, they become words after all.

#include "kernels/topk/fetched_items.cuh"
#include "kernels/topk/key_stream.cuh"
#include "kernels/topk/number_limit.cuh"
#include "kernels/topk/select_rows.cuh"

namespace bitune {

/// Keys as they are read, in the place of their words.
template <class Codec>
struct AsRead : Codec {
  BITUNE_DEVICE static typename Codec::Word encode(typename Codec::Raw raw) { return raw; }
};

/// A row's numbers in the registers of nt threads with vt each.
template <class Codec, PlacedForm form, int nt, int vt, int vector>
struct SelectedNumbers : SelectedKeys<AsRead<Codec>, form, nt, vt, vector> {
  using Word = typename Codec::Word;
  using Base = SelectedKeys<AsRead<Codec>, form, nt, vt, vector>;
  using Base::words;

  /// The word of the first number of each of m groups. NaNs are left out, but where a group has nothing else.
  template <int m>
  BITUNE_DEVICE void minima_of_numbers(Word (&smallest)[m]) const {
    float first_of[m];
    BITUNE_UNROLL
    for (int r = 0; r < m; ++r) first_of[r] = float_of(words[r]);
    BITUNE_UNROLL
    for (int r = m; r < vt; ++r) {
      const float number = float_of(words[r]);
      first_of[r % m] = NumberLimit<Codec>::is_descending ? larger_number(first_of[r % m], number) : smaller_number(first_of[r % m], number);
    }
    BITUNE_UNROLL
    for (int r = 0; r < m; ++r) smallest[r] = Codec::encode(bits_of(first_of[r]));
  }

  /// The registers whose numbers are not behind the limit.
  BITUNE_DEVICE u32 up_to(const NumberLimit<Codec>& limit) const {
    u32 bits = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) bits |= limit.passes(words[r]) ? u32{1} << r : 0;
    return bits;
  }

  BITUNE_DEVICE void encode_to(SelectedKeys<Codec, form, nt, vt, vector>& keys) const {
    keys.first = Base::first;
    keys.inner = Base::inner;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) keys.words[r] = Codec::encode(words[r]);
  }
};

/// Writes the first k keys of each row, with the arguments and the grid of select_rows.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int rows_per_block, int vector,
          int minima, int capacity, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
select_numbers(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
               typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
               const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
               typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u64 rows,
               u32 n, u32 k) {
  using Threads = RowThreads<nt>;
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Numbers = SelectedNumbers<Codec, form, nt, vt, vector>;
  using Keys = SelectedKeys<Codec, form, nt, vt, vector>;
  using Word = typename Keys::Word;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  static_assert(Threads::is_block ? rows_per_block == 1 : nt * rows_per_block >= static_cast<int>(warp_size));
  constexpr layout::SelectedRow parts = layout::selected_row(nt, minima, capacity, sizeof(Item), sizeof(Word));
  const u32 group = rows_per_block == 1 ? 0 : thread_index() / nt;
  u8* const shared = shared_memory<u8>() + group * static_cast<u32>(parts.bytes);
  const Buffer candidates{reinterpret_cast<Item*>(shared)};

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 row = u64{block_index()} * rows_per_block + group;
  // Groups without a row go through all barriers and shuffles with the last one. They write nothing.
  const u64 source = minimum(row, rows - 1);
  const u32 length = counted_keys(lengths, length_bytes, source, n);
  const u32 wanted = minimum(k, length);
  const Row result(source, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                   indices_out, indices_out_stride);
  Numbers numbers;
  numbers.load(result.keys, length);

  RowSums<nt> sums(reinterpret_cast<u32*>(shared + parts.sums));
  const auto find = [&](Word(&of_thread)[minima], Word& smallest, Word& kth) {
    KthMinimum<Word, nt, minima, shuffle_steps>::find(of_thread, maximum(wanted, 1u), reinterpret_cast<Word*>(shared),
                                                      reinterpret_cast<Word*>(shared + parts.bound), smallest, kth);
  };
  Word smallest;
  Word kth;
  Word of_thread[minima];
  numbers.minima_of_numbers(of_thread);
  find(of_thread, smallest, kth);
  const NumberLimit<Codec> limit(kth);
  u32 bits = numbers.up_to(limit);
  ThreadSums count = sums(bit_count(bits));
  if (!Threads::all_rows(limit.is_exact() && kth < Keys::Words::first_padding && count.all >= wanted && count.all <= capacity)) {
    Keys keys;
    numbers.encode_to(keys);
    keys.minima(of_thread);
    find(of_thread, smallest, kth);
    if constexpr (Row::Order::reads_nans) keys.join_nans(smallest, kth);
    RowBound<Word> bound(smallest, kth, length);
    while (true) {
      bits = keys.not_behind(bound.word, bound.end, length);
      count = sums(bit_count(bits));
      const bool fits = count.all >= wanted && count.all <= capacity;
      if (Threads::all_rows(fits)) break;
      if (!fits) bound.narrow(count.all < wanted);
    }
  }
  // The candidates' keys are read again: registers have no numbers that a thread could count by.
  for (u32 i = count.before; bits != 0; bits &= bits - 1, ++i) fetch(result, candidates[i], numbers.place(lowest_bit(bits)));
  cp_async_wait_all();
  Threads::sync();
  for (u32 i = Threads::index(); i < count.all; i += nt) candidates[i] = fetched<Row>(candidates[i]);
  Threads::sync();
  candidates.template sort<capacity / 2>(count.all);
  if (row < rows) candidates.write_first(result, k, wanted);
}

}  // namespace bitune
