#pragma once

// The first k keys of a row that the registers of a cluster of blocks hold, or of a block.
//
// As in select_rows.cuh the keys that are not behind a bound are the candidates, and the bound is the k-th smallest of the minima of groups of
// keys. Here each block tells all others the minima of its groups, so that each finds the bound by itself. What is not behind it goes to
// one block, which puts it in order. Two barriers of the cluster are all that blocks wait for.
//
// Places do not matter for that bound. Where more keys are up to it than there is room for, as many equal ones may be, the keys are counted.

#include "kernels/topk/bound_narrowing.cuh"
#include "kernels/topk/cluster_choice_layout.hpp"
#include "kernels/topk/cluster_keys.cuh"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/ranked_candidates.cuh"
#include "kernels/topk/ranked_minima.cuh"
#include "kernels/topk/sent_candidates.cuh"

namespace bitune {

/// How the blocks of a cluster choose from a row. groups: of its keys, `ranks` to ranks * nt, and at least k. capacity: candidates that there
/// is room for, at least k. Shared memory of each block: layout::ClusterChoice, behind `before` bytes. `stays`: whether the block does.
///
/// It has no members: registers are for keys.
template <class Codec, class Row, int nt, int ranks, int groups, int capacity, int shuffle_steps, int before = 0, bool stays = false>
struct ClusterChoice {
  using Word = typename Codec::Word;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  using Ranks = ClusterRanks<ranks>;
  using Bound = CountedBound<Word>;
  using Narrowing = BoundNarrowing<Word, nt, ranks, capacity>;
  using Ranked = RankedMinima<Word, nt, groups>;
  static constexpr u32 own = groups / ranks;  ///< groups of a block
  static constexpr layout::ClusterChoice parts = layout::cluster_choice(nt, groups, capacity, sizeof(Item), sizeof(Word), stays);
  static_assert(own >= 1 && own <= nt && sizeof(Bound) <= layout::counted_bound_bytes());

  BITUNE_DEVICE static u8* shared() { return shared_memory<u8>() + before; }
  BITUNE_DEVICE static Buffer candidates() { return {reinterpret_cast<Item*>(shared())}; }  ///< that the block puts in order
  BITUNE_DEVICE static u32* count() { return reinterpret_cast<u32*>(shared() + parts.count); }  ///< of these
  BITUNE_DEVICE static Bound* bound() { return reinterpret_cast<Bound*>(shared() + parts.bound); }
  BITUNE_DEVICE static Narrowing narrowing() { return {reinterpret_cast<u32*>(shared() + parts.bins), bound()}; }
  BITUNE_DEVICE static Word* own_minima() { return reinterpret_cast<Word*>(shared() + parts.of_threads); }
  /// Of the row: of a block by itself, its own.
  BITUNE_DEVICE static Word* all_minima() {
    return reinterpret_cast<Word*>(shared() + (ranks == 1 ? parts.of_threads : parts.minima));
  }
  BITUNE_DEVICE static Ranked ranked() { return {all_minima(), reinterpret_cast<Word*>(shared() + parts.ranked)}; }

  /// The minima of the block's groups, by those of its threads. A barrier of the block.
  BITUNE_DEVICE static void find_minima(Word of_thread) {
    narrowing().clear();
    if constexpr (Ranked::is_for) ranked().clear();
    own_minima()[slot_of_thread<nt, static_cast<int>(own)>()] = of_thread;
    if constexpr (own < nt) {
      sync_block();
      if (thread_index() < own) {
        Word least = own_minima()[thread_index()];
        BITUNE_UNROLL_N(8)
        for (u32 i = own; i < nt; i += own) least = minimum(least, own_minima()[thread_index() + i]);
        own_minima()[thread_index()] = least;
      }
    }
    sync_block();
  }

  /// Tells all blocks, which have begun, and are done with the row before. A barrier of them all, where there are others.
  BITUNE_DEVICE static void tell_minima() {
    if constexpr (ranks == 1) return;
    for (u32 i = thread_index(); i < u32{groups}; i += nt) {
      Ranks::shared_of(all_minima(), i / own)[Ranks::own() * own + i % own] = own_minima()[i % own];
    }
    Ranks::sync();
  }

  /// Finds a word that the first `wanted` of the row's `length` keys are not behind. A barrier of the block.
  BITUNE_DEVICE static void find_bound(u32 wanted, u32 length) {
    if constexpr (Ranked::is_for) {
      ranked().rank();
      if (thread_index() == 0) *bound() = {0, 0, wanted, length, 0, 0, length, false};
    } else if (warp_index() == 0) {
      const PlacedBound<Word> word = Minima<Word, groups>{all_minima(), nullptr}.bound_of_words(maximum(wanted, 1u));
      if (lane() == 0) *bound() = {word.least, word.word, wanted, length, 0, 0, length, false};
    }
    sync_block();
  }

  /// The bound that was found, at once.
  BITUNE_DEVICE static Bound found_bound() {
    const Bound& found = *bound();
    if constexpr (!Ranked::is_for) return found;
    return {ranked().of_rank(1), ranked().of_rank(maximum(found.wanted, 1u)), found.wanted, found.end, found.from, found.before,
            found.length, found.found};
  }

  /// The first key equals the last one that is wanted: so there are many more, and places decide.
  BITUNE_DEVICE static bool is_of_places(const Bound& found) { return found.low == found.high && found.wanted > 1; }

  /// Before it is narrowed: the words, which none has read until then. A barrier of the block.
  BITUNE_DEVICE static void set_bound(const Bound& first) {
    if constexpr (Ranked::is_for) {
      if (thread_index() == 0) {
        bound()->low = first.low;
        bound()->high = first.high;
      }
      sync_block();
    }
  }

  /// Sends the keys that are not behind the bound to the block `leader`, whose count is 0. How many they are: at least as many as are wanted,
  /// and no more than there is room for. stand: finds anew where the thread's keys stand.
  template <class Keys, class Stand>
  BITUNE_DEVICE static u32 gather(Keys& keys, u32 leader, const Stand& stand) {
    u32 bits = 0;
    bool are_told = true;
    if (const Bound first = found_bound(); is_of_places(first)) {
      set_bound(first);
      stand();
      const u32 equal = keys.equal_to(first.high);
      narrowing().among_places(keys, equal);
      bits = equal & keys.within(0, bound()->end);
    } else {
      are_told = keys.up_to(first.high, bits);
      stand();
    }
    if (are_told) {
      const u32 all = send(keys, bits, leader);
      if (all <= capacity) return all;
      Ranks::sync();
      if (thread_index() == 0) *count() = 0;
    }
    if (const Bound first = found_bound(); !is_of_places(first)) set_bound(first);
    const auto& words = keys.encode();
    narrowing().among_words(words);
    narrowing().among_places(words, words.equal_to(bound()->high));
    return send(words, words.not_behind(bound()->high, bound()->end, bound()->length), leader);
  }

  /// By the leader: writes the first k of `all` candidates. row_of: makes the row that they are of, when registers are free.
  template <class RowOf>
  BITUNE_DEVICE static void write_first(const RowOf& row_of, u32 k, u32 all) {
    if (stays && capacity <= layout::minima_of_warp()) {  // a warp's sort takes as long, and registers
      constexpr u32 shares = nt / capacity > 4 ? nt / capacity : 4;
      write_ranked<Buffer, Row, nt, shares, true>(candidates(), row_of(), k, all, bound()->wanted);
    } else if (all <= layout::ranked_candidates()) {
      write_ranked<Buffer, Row, nt>(candidates(), row_of(), k, all, bound()->wanted);
    } else {
      candidates().template sort<capacity>(all);
      candidates().write_first(row_of(), k, bound()->wanted);
    }
  }

 private:
  /// Sends keys, a bit for each. How many there are in all. A barrier of all blocks.
  template <class Keys>
  BITUNE_DEVICE static u32 send(const Keys& keys, u32 bits, u32 leader) {
    send_candidates<ranks, capacity, Form>(keys, bits, leader, candidates(), count());
    return *Ranks::shared_of(count(), leader);
  }
};

}  // namespace bitune
