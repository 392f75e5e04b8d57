#pragma once

// A bound that lets too many keys through is narrowed by counting.
//
// The keys that are in question lie between two words, or they all equal one word and lie between two places. They are counted in 256 bins
// of equal width. The first k keys end in one of these bins. If there is room for all keys up to its end, that is the bound. Else the keys
// of this bin are in question. So each count leaves one of 256 parts: words of 32 bits take four at most, and equal keys one or two.

#include "kernels/topk/bound_narrowing_layout.hpp"
#include "kernels/topk/bound_words.cuh"
#include "kernels/topk/cluster_ranks.cuh"
#include "kernels/topk/row_threads.cuh"

namespace bitune {

/// What is up to a bound of a row: words below `high`, and those that equal it and stand before the place `end`.
///
/// While the bound is narrowed it is in question of which words from `low` on it is, or, once `low` is `high`, of which places from `from` on.
template <class Word>
struct alignas(16) CountedBound {
  Word low, high;
  u32 wanted;  ///< keys that must be up to it
  u32 end;
  u32 from;
  u32 before;  ///< keys of the row that are before all of these
  u32 length;  ///< of the row
  bool found;

  BITUNE_DEVICE bool is_of_words() const { return low != high; }
  BITUNE_DEVICE bool is_narrow() const { return found || wanted == 0 || (!is_of_words() && end - from <= 1); }
};

/// Narrows a bound until no more than `capacity` keys are up to it, with all threads of the `ranks` blocks of nt that choose from a row together
/// (1: of the block). Each block has a copy of the bound, and bins of its own, in shared memory. Bins are 0 at first, behind a barrier of the block.
/// A barrier of all blocks is within each round; others may read the bins until the next one.
template <class Word, int nt, int ranks, int capacity>
struct BoundNarrowing {
  using Bound = CountedBound<Word>;
  using Ranks = ClusterRanks<ranks>;
  static constexpr u32 all_bins = static_cast<u32>(layout::narrowing_bins());
  static constexpr u32 of_lane = all_bins / warp_size;

  u32* bins;  ///< of the block, and of all
  Bound* bound;

  BITUNE_DEVICE void clear() const {
    for (u32 i = thread_index(); i < all_bins; i += nt) bins[i] = 0;
  }

  /// As far as words tell.
  template <class Words>
  BITUNE_DEVICE void among_words(const Words& words) const {
    BITUNE_UNROLL_N(1)
    while (!bound->is_narrow() && bound->is_of_words()) narrow_among_words(words);
  }
  BITUNE_DEVICE bool is_among_words() const { return !bound->is_narrow() && bound->is_of_words(); }

  /// One round of it.
  template <class Words>
  BITUNE_DEVICE void narrow_among_words(const Words& words) const {
    const u32 shift = shift_of(u64{bound->high} - bound->low);
    count_words(words, shift);
    choose_bin(shift);
  }

  /// Among keys that are equal, which have a bit each. The words that are left are one.
  template <class Keys>
  BITUNE_DEVICE void among_places(const Keys& keys, u32 equal) const {
    BITUNE_UNROLL_N(1)
    while (!bound->is_narrow()) {
      const u32 shift = shift_of_places(bound->end - bound->from, keys.are_vectors() ? Keys::neighbours : 1);
      const u32 bits = equal & keys.within(bound->from, bound->end);
      if (shift == 0) {
        const u32 from = bound->from;
        for (u32 left = bits; left != 0; left &= left - 1) atomic_add(bins + keys.place(lowest_bit(left)) - from, 1);
      } else {
        count_places(keys, bits, shift);
      }
      choose_bin(shift);
    }
  }

 private:
  /// So that `range` is of one of the bins.
  BITUNE_DEVICE static u32 shift_of(u64 range) {
    constexpr u32 of_bins = 64 - log2_of(all_bins);
    const u32 zeros = leading_zeros(range);
    return zeros >= of_bins ? 0 : of_bins - zeros;
  }

  /// The keys that a warp has next to each other are of one bin, or each place is.
  BITUNE_DEVICE static u32 shift_of_places(u32 places, u32 neighbours) {
    const u32 shift = shift_of(places - 1);
    return shift == 0 ? 0 : maximum(shift, 63 - leading_zeros(neighbours * warp_size));
  }

  template <class Words>
  BITUNE_DEVICE void count_words(const Words& words, u32 shift) const {
    const Word low = bound->low;
    const Word range = bound->high - low;
    const u32 counted = words.within(0, bound->end);
    BITUNE_UNROLL
    for (int r = 0; r < Words::registers; ++r) {
      const Word distance = static_cast<Word>(words.words[r]) - low;
      if (distance <= range && (counted >> r & 1) != 0) atomic_add(bins + static_cast<u32>(distance >> shift), 1);
    }
  }

  /// A lane adds what the warp has next to each other.
  template <class Keys>
  BITUNE_DEVICE void count_places(const Keys& keys, u32 bits, u32 shift) const {
    constexpr int vectors = Keys::registers / Keys::neighbours;
    constexpr bool has_vectors = Keys::neighbours > 1 && Keys::neighbours <= 4 && vectors <= 8;
    u32 number = 0;
    u32 at = lane();
    if (has_vectors && keys.are_vectors()) {
      u32 sums[(vectors + 3) / 4] = {};  // a byte each: at most 128
      BITUNE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        sums[v / 4] |= bit_count(bits >> (v * Keys::neighbours) & ((u32{1} << Keys::neighbours) - 1)) << (v % 4 * 8);
      }
      warp_sum_each(sums);
      BITUNE_UNROLL
      for (int v = 0; v < vectors; v += 4) {
        if (lane() / 4 == u32(v / 4)) number = sums[v / 4] >> (lane() % 4 * 8) & 0xff;
      }
      at *= Keys::neighbours;
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < Keys::registers; ++r) {
        const u32 lanes = lanes_where((bits >> r & 1) != 0);
        if (lane() == u32(r)) number = bit_count(lanes);
      }
    }
    if (number != 0) atomic_add(bins + ((keys.place(at) - bound->from) >> shift), number);
  }

  /// Finds the bin with the last key that is wanted, and what is in question then.
  BITUNE_DEVICE void choose_bin(u32 shift) const {
    Ranks::sync();
    if constexpr (ranks > 1) add_up_ranks();
    if (warp_index() == 0) choose_bin_of(ranks > 1 ? bins + all_bins : bins, shift);
    sync_block();
    if (bound->is_narrow()) return;  // as those of all blocks are
    if constexpr (ranks > 1) Ranks::sync();  // others may add up this block's until then
    clear();
    sync_block();
  }

  /// The bins of all blocks, behind the block's own: a lane has some of a block. A barrier of the block.
  BITUNE_DEVICE void add_up_ranks() const {
    constexpr u32 at_once = 4;
    constexpr u32 of_warp = warp_size / ranks * at_once;
    const u32 rank = lane() % ranks;
    const u32* const of_rank = Ranks::shared_of(bins, rank);
    BITUNE_UNROLL_N(1)
    for (u32 i = warp_index() * of_warp + lane() / ranks * at_once; i < all_bins; i += nt / warp_size * of_warp) {
      u32 sums[at_once];
      load_vector(of_rank + i, sums);
      BITUNE_UNROLL
      for (u32 distance = 1; distance < ranks; distance *= 2) {
        u32 other[at_once];
        shuffle_xor_each(sums, distance, other);
        BITUNE_UNROLL
        for (u32 b = 0; b < at_once; ++b) sums[b] += other[b];
      }
      if (rank == 0) store_vector(bins + all_bins + i, sums);
    }
    sync_block();
  }

  BITUNE_DEVICE void choose_bin_of(const u32* sums, u32 shift) const {
    u32 counts[of_lane];
    u32 of_bins = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i < of_lane; i += 4) load_vector(sums + lane() * of_lane + i, *reinterpret_cast<u32(*)[4]>(counts + i));
    BITUNE_UNROLL
    for (u32 i = 0; i < of_lane; ++i) of_bins += counts[i];
    const u32 wanted = bound->wanted;
    u32 before = bound->before + RowSums<static_cast<int>(warp_size)>(nullptr)(of_bins).before;
    sync_warp();  // a shuffle comes before the next write
    if (before >= wanted || (before + of_bins < wanted && lane() != warp_size - 1)) return;
    u32 bin = lane() * of_lane;
    u32 count = counts[0];
    BITUNE_UNROLL
    for (u32 i = 1; i < of_lane; ++i) {
      if (before + count >= wanted) break;
      before += count;
      count = counts[i];
      ++bin;
    }
    narrow_to(bin, shift, before, count);
  }

  /// To a bin, with so many keys before it and in it.
  BITUNE_DEVICE void narrow_to(u32 bin, u32 shift, u32 before, u32 count) const {
    bound->before = before;
    bound->found = before + count <= capacity;
    if (bound->is_of_words()) {
      const Word width = static_cast<Word>((u64{1} << shift) - 1);
      const Word low = bound->low + static_cast<Word>(u64{bin} << shift);
      if (bound->high - low > width) bound->high = low + width;
      bound->low = low;
    } else {
      const u32 from = minimum(bound->from + (bin << shift), bound->end - 1);
      const u32 end = minimum(bound->end, from + (u32{1} << shift));
      const bool is_full = count == end - from;  // then the last one that is wanted is known
      bound->from = from;
      bound->end = is_full ? from + bound->wanted - before : end;
      bound->found |= is_full;
    }
  }
};

}  // namespace bitune
