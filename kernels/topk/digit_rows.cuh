#pragma once

// The first k keys of rows that a block's registers hold, by digits: a radix select, and then a radix sort of what it selected.
//
// The keys from the smallest to the largest are counted in 256 bins, until a bound is found that not too many are behind (bound_narrowing.cuh).
// What is not behind it goes to shared memory, in the order of the places, with its distance from the smallest key. Digits are sorted from
// the lowest one on, as rows_by_digits does it. There are as many as the largest distance has. So equal keys stay in order, and time depends on k
// more than on what the keys are.

#include "kernels/radix/digit_row.cuh"
#include "kernels/topk/bound_narrowing.cuh"
#include "kernels/topk/digit_rows_layout.hpp"
#include "kernels/topk/warp_keys.cuh"

namespace bitune {

/// Sorts `count` words with their places, stably, by the lowest `width` bits, in shared memory: layout::digit_row_parts of so many items. All
/// threads of the block call it, and a barrier is behind it, but not before it.
///
/// There is code for several numbers of items, from `least` on, so that a few are sorted soon.
template <class Codec, int nt, int most, int bits, int least = (most / 2 + 3) / 4 * 4>
BITUNE_DEVICE void sort_by_digits(u8* shared, const layout::DigitRowParts& parts, u32 count, u32 width) {
  if constexpr (least < most) {
    if (count > u32{nt} * least) {
      return sort_by_digits<Codec, nt, most, bits, (least < 16 ? least + 4 : least + 8)>(shared, parts, count, width);
    }
  }
  const DigitRow<Codec, nt, least, bits> row{reinterpret_cast<typename Codec::Word*>(shared), reinterpret_cast<u16*>(shared + parts.places),
                                             reinterpret_cast<u16*>(shared + parts.ranks), reinterpret_cast<u32*>(shared + parts.scratch)};
  for (u32 i = count + thread_index(); i < u32{nt} * least; i += nt) row.words[row.padded(i)] = Codec::padding;
  sync_block();
  BITUNE_UNROLL_N(1)
  for (u32 pass = 0; pass * bits < width; ++pass) row.template sort_by<true, true>(pass);
}

/// Writes the first k keys of each row of n keys (at most nt * vt), as select_rows does.
///
/// candidates: of a thread, which are sorted; nt * candidates is at least k. bits: of a digit.
/// Grid: a block a row. Dynamic shared memory: layout::digit_rows.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int candidates, int bits,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
digit_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
           typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
           const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
           typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n, u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Word = typename Codec::Word;
  using Keys = WarpKeys<Codec, typename Row::Order, nt, vt>;
  using Bound = CountedBound<Word>;
  constexpr u32 capacity = u32{nt} * candidates;
  static_assert(layout::narrowing_bins() * 4 <= nt / warp_size * (1 << bits) * 2 && sizeof(Bound) <= layout::counted_bound_bytes());
  constexpr layout::DigitRows parts = layout::digit_rows(nt, candidates, bits, sizeof(Word));
  u8* const shared = shared_memory<u8>();
  Word* const words = reinterpret_cast<Word*>(shared);
  u16* const places = reinterpret_cast<u16*>(shared + parts.of_digits.places);
  const auto slot = [](u32 i) { return DigitRow<Codec, nt, candidates, bits>::padded(i); };
  u32* const numbers = reinterpret_cast<u32*>(shared + parts.of_digits.scratch);
  Bound* const bound = reinterpret_cast<Bound*>(shared + parts.bound);

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u32 length = counted_keys(lengths, length_bytes, block_index(), n);
  Word low;
  u32 all;
  {
    Keys keys;
    keys.load(keys_in + u64{block_index()} * keys_in_stride, length);
    Word high;
    const BoundNarrowing<Word, nt, 1, static_cast<int>(capacity)> narrowing{reinterpret_cast<u32*>(shared + parts.of_digits.ranks), bound};
    narrowing.clear();
    keys.find_ends(words, low, high);
    if (thread_index() == 0) *bound = {low, high, minimum(k, length), length, 0, 0, length, length <= capacity};
    sync_block();
    narrowing.among_words(keys);
    narrowing.among_places(keys, keys.equal_to(bound->high));
    all = Keys::put_in_order(keys.not_behind(bound->high, bound->end, bound->length), numbers, [&](u32 i, u32 r) {
      words[slot(i)] = keys.words[r] - low;
      places[slot(i)] = static_cast<u16>(Keys::place(r));
    });
  }
  sort_by_digits<Codec, nt, candidates, bits>(shared, parts.of_digits, all, 64 - leading_zeros(u64{bound->high} - low));
  const u32 wanted = bound->wanted;
  const Row row(block_index(), keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                indices_out, indices_out_stride);
  for (u32 i = thread_index(); i < k; i += nt) {
    if (i < wanted) {
      row.write(i, Row::Form::make(words[slot(i)] + low, places[slot(i)]));
    } else {
      row.fill(i);
    }
  }
}

}  // namespace bitune
