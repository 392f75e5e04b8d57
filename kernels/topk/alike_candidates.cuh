#pragma once

// Candidates of which many lie so close together that bins of equal width do not part them (binned_candidates.cuh): a few distinct keys, say.
// Each of those bins is cut once more, into as many parts as it has candidates. Where all its keys are equal it is their places that are
// cut, else the bin's own range. Then a candidate is compared with those of its part.

#include "kernels/topk/alike_layout.hpp"
#include "kernels/topk/binned_candidates.cuh"

namespace bitune {

/// How far an item is behind the beginning of its bin, of a width of 2^shift.
template <class Item, int bits>
BITUNE_DEVICE u64 distance_in_bin(const ItemRange<Item, bits>& range, Item item) {
  return (static_cast<u64>(item) - range.low) & ((u64{1} << range.shift) - 1);
}
template <int bits>
BITUNE_DEVICE u64 distance_in_bin(const ItemRange<KeyAndPlace, bits>& range, KeyAndPlace item) {
  return distance_in_bin(range.numbers, range.by_place ? u64{item.place} : item.key);
}

template <class Item, int bits>
BITUNE_DEVICE u32 shift_of_bins(const ItemRange<Item, bits>& range) {
  return range.shift;
}
template <int bits>
BITUNE_DEVICE u32 shift_of_bins(const ItemRange<KeyAndPlace, bits>& range) {
  return range.numbers.shift;
}

/// Which of `parts` equal parts of 2^bits numbers has this one. parts: at most 2^16.
BITUNE_DEVICE u32 part_of(u64 number, u32 bits, u32 parts) {
  const u32 dropped = bits > 32 ? bits - 32 : 0;
  return static_cast<u32>((number >> dropped) * parts >> (bits - dropped));
}

/// Those of a row that has a block of nt threads, where Binned could not write them. Shared memory: layout::alike_candidates.
template <class Row, class Binned, int nt, int capacity>
struct AlikeCandidates {
  using Item = typename Row::Item;
  using Form = typename Row::Form;
  using Word = decltype(Form::key(Item{}));
  using Range = typename Binned::Range;
  static constexpr int vt = capacity / nt;
  static constexpr layout::AlikeCandidates layout_of = layout::alike_candidates(nt, capacity, sizeof(Word));

  Binned binned;  ///< its bins are where they begin
  Word* words;    ///< one of each bin
  u32* met;       ///< of each bin: how many, and in the upper half whether one has another word
  u32* parts;     ///< how many candidates each has, then where they begin; parts of a bin begin where the bin does

  BITUNE_DEVICE AlikeCandidates(const Binned& of, u8* shared)
      : binned(of),
        words(reinterpret_cast<Word*>(shared)),
        met(reinterpret_cast<u32*>(shared + layout_of.met)),
        parts(reinterpret_cast<u32*>(shared + layout_of.parts)) {}

  /// Writes the first k of `all` candidates, of which the row has `wanted`; n: more than any place. All threads of the block call it. False
  /// where too many are in one part: then they have other places, and nothing is written.
  BITUNE_DEVICE bool write_if_spread(const Row& row, u32 k, u32 all, u32 wanted, u32 n, RowSums<nt>& sums) const {
    Item mine[vt];
    Item both[2] = {last_item<Form>(), Form::make(0, 0)};
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = r * nt + thread_index();
      if (i >= all) continue;
      mine[r] = binned.candidates[i];
      Binned::Ends::widen(both, mine[r], mine[r]);
    }
    for (u32 i = thread_index(); i < Binned::count; i += nt) met[i] = 0;
    Binned::Ends::find(both, binned.ends);
    if (thread_index() == 0) binned.kept[1] = 0;  // behind a barrier: others may have read it just before
    const Range range(both[0], both[1]);

    const auto each = [&](const auto& act) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (r * nt + thread_index() < all) act(r, range.bin(mine[r]));
      }
    };
    each([&](int r, u32 bin) {
      if (atomic_add(met + bin, 1) == 0) words[bin] = Form::key(mine[r]);
    });
    sync_block();  // else the choice is wrong, which costs time alone
    each([&](int r, u32 bin) {
      if (words[bin] != Form::key(mine[r])) atomic_add(met + bin, u32{1} << 16);
    });
    for (u32 i = thread_index(); i < u32{capacity}; i += nt) parts[i] = 0;
    sync_block();
    u32 slot[vt];  // in its part
    each([&](int r, u32) { slot[r] = atomic_add(parts + part(range, mine[r], n), 1); });
    sync_block();
    find_begins(sums);
    sync_block();
    if (binned.kept[1] > layout::most_comparisons() * nt) return false;
    each([&](int r, u32) { binned.candidates[parts[part(range, mine[r], n)] + slot[r]] = mine[r]; });
    sync_block();
    for (u32 i = thread_index(); i < all; i += nt) {
      const Item item = binned.candidates[i];
      const u32 of = part(range, item, n);
      u32 before = parts[of];
      if (before >= wanted) continue;
      const u32 end = of + 1 < u32{capacity} ? parts[of + 1] : all;
      for (u32 other = before; other < end; ++other) before += binned.candidates[other] < item ? 1 : 0;
      if (before < wanted) row.write(before, item);
    }
    for (u32 i = wanted + thread_index(); i < k; i += nt) row.fill(i);
    return true;
  }

 private:
  BITUNE_DEVICE u32 part(const Range& range, Item item, u32 n) const {
    const u32 bin = range.bin(item);
    const u32 count = met[bin] & 0xffff;
    const bool are_equal = met[bin] >> 16 == 0;
    const u64 number = are_equal ? u64{Form::place(item)} : distance_in_bin(range, item);
    const u32 bits = are_equal ? 64 - leading_zeros(u64{n}) : shift_of_bins(range);
    return binned.bins[bin] + part_of(number, bits, count);
  }

  /// The parts' numbers become where each begins. A barrier among it.
  BITUNE_DEVICE void find_begins(RowSums<nt>& sums) const {
    u32 number[vt];
    u32 mine = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      number[r] = parts[thread_index() * vt + r];
      mine += number[r];
    }
    u32 begin = sums(mine).before;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (number[r] > layout::compared_in_bin()) atomic_add(binned.kept + 1, number[r] * number[r]);
      parts[thread_index() * vt + r] = begin;
      begin += number[r];
    }
  }
};

}  // namespace bitune
