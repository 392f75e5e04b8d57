#pragma once

// Candidates are put in order without a network. The range that they lie in is cut into equal parts, four bins for each thread. The numbers of
// candidates in them say where each bin's begin; then a candidate is compared with those of its own bin alone. That takes time as the number
// of candidates, where a network takes it times the square of its logarithm.
//
// Bins beyond the k-th candidate are not looked at. Where too many keys lie close together for that, so that comparing them would take longer,
// the candidates are sorted.

#include "kernels/topk/bins_layout.hpp"
#include "kernels/topk/block_ends.cuh"
#include "kernels/topk/candidates.cuh"

namespace bitune {

/// The items from `low` to `high` in 2^bits bins. Of two items the first one is in no later bin.
template <class Item, int bits>
struct ItemRange {
  u64 low;
  u32 shift;

  BITUNE_DEVICE ItemRange(Item first, Item last) : low(static_cast<u64>(first)), shift(0) {
    const u32 width = 64 - leading_zeros(static_cast<u64>(last) - low);
    if (width > bits) shift = width - bits;
  }
  BITUNE_DEVICE u32 bin(Item item) const { return static_cast<u32>((static_cast<u64>(item) - low) >> shift); }
};

/// Keys of 64 bits: by key, or by place where all keys are equal.
template <int bits>
struct ItemRange<KeyAndPlace, bits> {
  bool by_place;
  ItemRange<u64, bits> numbers;

  BITUNE_DEVICE ItemRange(KeyAndPlace first, KeyAndPlace last)
      : by_place(first.key == last.key), numbers(by_place ? first.place : first.key, by_place ? last.place : last.key) {}
  BITUNE_DEVICE u32 bin(KeyAndPlace item) const { return numbers.bin(by_place ? u64{item.place} : item.key); }
};

/// The candidates of a row that has a block of nt threads. Shared memory: layout::row_bins, beside the candidates. most_comparisons: of a
/// thread.
template <class Row, class Buffer, int nt, int capacity, u32 most_comparisons = layout::most_comparisons()>
struct BinnedCandidates {
  using Item = typename Row::Item;
  using Form = typename Row::Form;
  static constexpr int vt = capacity / nt;
  static constexpr int of_thread = layout::bins_of_thread();
  static constexpr u32 count = u32{nt} * of_thread;
  using Ends = BlockEnds<Item, nt>;
  using Range = ItemRange<Item, log2_of(nt * of_thread)>;
  static constexpr layout::RowBins parts = layout::row_bins(nt, sizeof(Item));

  Buffer candidates;
  u32* bins;   ///< how many candidates each has; then where they begin, and where the last ones end
  Item* ends;  ///< the first and the last item of each warp
  u32* kept;   ///< how many candidates the bins have that are looked at; then what large ones of these take in comparisons

  BITUNE_DEVICE BinnedCandidates(const Buffer& of, u8* shared)
      : candidates(of),
        bins(reinterpret_cast<u32*>(shared)),
        ends(reinterpret_cast<Item*>(shared + parts.ends)),
        kept(reinterpret_cast<u32*>(shared + parts.kept)) {}

  /// Writes the first k of `all` candidates, of which the row has `wanted`. All threads of the block call it, behind a barrier.
  BITUNE_DEVICE void write_first(const Row& row, u32 k, u32 all, u32 wanted, RowSums<nt>& sums) const {
    if (write_if_few_alike(row, k, all, wanted, sums)) return;
    candidates.template sort<(2 * nt < capacity ? 2 * nt : capacity)>(all);
    candidates.write_first(row, k, wanted);
  }

  /// The same, unless too many candidates lie close together: then they stay as they are.
  BITUNE_DEVICE bool write_if_few_alike(const Row& row, u32 k, u32 all, u32 wanted, RowSums<nt>& sums) const {
    Item mine[vt];
    Item of_thread_ends[2] = {last_item<Form>(), Form::make(0, 0)};
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = r * nt + thread_index();
      if (i >= all) continue;
      mine[r] = candidates[i];
      Ends::widen(of_thread_ends, mine[r], mine[r]);
    }
    const u32 none[of_thread] = {};
    store_vector(bins + thread_index() * of_thread, none);
    if (thread_index() == 0) kept[0] = kept[1] = 0;
    Ends::find(of_thread_ends, ends);
    const Range range(of_thread_ends[0], of_thread_ends[1]);

    u32 slot[vt];  // in its bin
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r * nt + thread_index() < all) slot[r] = atomic_add(bins + range.bin(mine[r]), 1);
    }
    sync_block();
    find_begins(wanted, all, sums);
    sync_block();
    if (kept[1] > most_comparisons * nt) return false;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r * nt + thread_index() >= all) continue;
      const u32 begin = bins[range.bin(mine[r])];
      if (begin < wanted) candidates[begin + slot[r]] = mine[r];
    }
    sync_block();
    const u32 left = kept[0];
    for (u32 i = thread_index(); i < left; i += nt) {
      const Item item = candidates[i];
      const u32 bin = range.bin(item);
      const u32 end = bins[bin + 1];
      u32 before = bins[bin];
      for (u32 other = before; other < end; ++other) before += candidates[other] < item ? 1 : 0;
      if (before < wanted) row.write(before, item);
    }
    for (u32 i = wanted + thread_index(); i < k; i += nt) row.fill(i);
    return true;
  }

 private:
  /// The bins' numbers become where each begins. A barrier among it.
  BITUNE_DEVICE void find_begins(u32 wanted, u32 all, RowSums<nt>& sums) const {
    u32 number[of_thread];
    load_vector(bins + thread_index() * of_thread, number);
    u32 mine = 0;
    BITUNE_UNROLL
    for (int b = 0; b < of_thread; ++b) mine += number[b];
    u32 begin = sums(mine).before;
    BITUNE_UNROLL
    for (int b = 0; b < of_thread; ++b) {
      const u32 end = begin + number[b];
      if (begin < wanted && end >= wanted) kept[0] = end;
      if (begin < wanted && number[b] > layout::compared_in_bin()) atomic_add(kept + 1, number[b] * number[b]);
      number[b] = begin;
      begin = end;
    }
    store_vector(bins + thread_index() * of_thread, number);
    if (thread_index() == 0) bins[count] = all;
  }
};

}  // namespace bitune
