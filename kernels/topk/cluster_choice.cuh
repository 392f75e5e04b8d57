#pragma once

// The first k keys of a row that the registers of a cluster of blocks hold, or of a block.
//
// As in select_rows.cuh the keys that are not behind a bound are the candidates, and the bound is the k-th smallest of the minima of groups of
// keys. Here each block tells all others the minima of its groups, so that each finds the bound by itself. What is not behind it goes to
// one block, which puts it in order. Two barriers of the cluster are all that blocks wait for.
//
// Which group a key belongs to: neighbouring vectors of keys belong to different groups, and neighbouring warps' to different blocks. What
// recurs at a distance that is a multiple of all blocks' is in different ones, too.
// So where keys ascend, or change slowly, there are not many more candidates than of random keys. Where there are more than there is room for,
// the bound is narrowed as in select_rows.cuh.

#include "kernels/topk/cluster_ranks.cuh"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/ranked_candidates.cuh"
#include "kernels/topk/select_rows.cuh"

namespace bitune {

/// A row's keys in the registers of a cluster. Its threads are numbered warp by warp, and the warps block by block.
template <class Codec, class Order, PlacedForm form, int nt, int vt, int vector, int ranks>
struct ClusterKeys : SelectedKeys<Codec, form, nt * ranks, vt, vector> {
  using Keys = SelectedKeys<Codec, form, nt * ranks, vt, vector>;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr u32 all = u32{ranks} * nt;

  BITUNE_DEVICE static u32 thread() {
    if constexpr (ranks == 1) return thread_index();
    return (warp_index() * ranks + (cluster_rank() + 3 * warp_index()) % ranks) * warp_size + lane();
  }

  /// Where the thread's keys stand: as vectors, or each by itself.
  BITUNE_DEVICE void stand_as(bool vectors) {
    Keys::first = thread() * (vectors ? vector : 1);
    Keys::inner = vectors ? 1 : all;
  }

  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    const bool vectors = reinterpret_cast<u64>(row) % (vector * sizeof(Raw)) == 0 && length % vector == 0;
    stand_as(vectors);
    Raw raw[vt];  // what the row lacks is the last key there is
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Codec::decode(Codec::mask);
    if (vectors) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        if (Keys::first + r * all < length) load_vector(row + Keys::first + r * all, *reinterpret_cast<Raw(*)[vector]>(raw + r));
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (Keys::first + r * all < length) raw[r] = row[Keys::first + r * all];
      }
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) Keys::words[r] = Order::encode(raw[r]);
  }

  /// The key in a register, and its place.
  template <class Form>
  BITUNE_DEVICE typename Form::Item item(u32 at) const {
    Word word = Keys::words[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) word = at == u32(r) ? Keys::words[r] : word;
    return Form::make(word, Keys::place(at));
  }

  /// The registers whose words are below `bound`, or equal it and stand before the place `end` of a row of that length: a bit for each.
  BITUNE_DEVICE u32 not_behind(Word bound, u32 end, u32 length) const {
    u32 bits = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) bits |= Keys::words[r] <= bound ? u32{1} << r : 0;
    if (end < length || bound == Codec::mask) {  // what the row lacks has that word, too
      u32 behind = ~static_cast<u32>((u64{1} << Keys::registers_before(end)) - 1);
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) behind &= Keys::words[r] < bound ? ~(u32{1} << r) : ~u32{0};
      bits &= ~behind;
    }
    return bits;
  }

  /// The first of the thread's keys.
  BITUNE_DEVICE PlacedWord<Word> minimum_of_thread() const {
    Word word = Keys::words[0];
    u32 at = 0;
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      if (Keys::words[r] < word) {
        word = Keys::words[r];
        at = r;
      }
    }
    return {word, Keys::place(at)};
  }
};

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
  using OfRow = Minima<Word, groups>;
  using Ranks = ClusterRanks<ranks>;
  static constexpr u32 own = groups / ranks;  ///< groups of a block
  static constexpr layout::ClusterChoice parts =
      layout::cluster_choice(nt, groups, capacity, sizeof(Item), sizeof(Word), stays);
  static_assert(own >= 1 && own <= nt);

  BITUNE_DEVICE static u8* shared() { return shared_memory<u8>() + before; }
  BITUNE_DEVICE static Buffer candidates() { return {reinterpret_cast<Item*>(shared())}; }  ///< that the block puts in order
  BITUNE_DEVICE static u32* count() { return reinterpret_cast<u32*>(shared() + parts.count); }  ///< of these
  BITUNE_DEVICE static Word* own_words() { return reinterpret_cast<Word*>(shared() + parts.of_threads); }
  BITUNE_DEVICE static u32* own_places() { return reinterpret_cast<u32*>(own_words() + nt); }

  BITUNE_DEVICE static OfRow of_row() {
    Word* const words = reinterpret_cast<Word*>(shared() + parts.minima);
    return {words, reinterpret_cast<u32*>(words + groups)};
  }

  /// In shared memory, as registers are for keys.
  struct Found {
    PlacedBound<Word> bound;
    u32 wanted;
    u32 length;
    u32 by_places;  ///< so many rows are chosen from by places at once
  };

  BITUNE_DEVICE static Found* found() { return reinterpret_cast<Found*>(shared() + parts.bound); }

  /// The minima of the block's groups. A barrier of the block.
  BITUNE_DEVICE static void find_minima(PlacedWord<Word> of_thread) {
    reduce_minima<nt, static_cast<int>(own)>(own_words(), own_places(), of_thread);
    sync_block();  // other warps have written, some shuffles before
  }

  /// Tells all blocks, which have begun, and are done with the row before. A barrier of them all follows.
  BITUNE_DEVICE static void tell_minima() {
    for (u32 i = thread_index(); i < u32{groups}; i += nt) {
      const u32 from = i % own;
      const OfRow there{Ranks::shared_of(of_row().words, i / own), Ranks::shared_of(of_row().places, i / own)};
      there.set(Ranks::own() * own + from, {own_words()[from], own_places()[from]});
    }
  }

  /// The same of words, whatever the places.
  BITUNE_DEVICE static void find_words(Word of_thread) {
    own_words()[slot_of_thread<nt, static_cast<int>(own)>()] = of_thread;
    if constexpr (own < nt) {
      sync_block();  // else the bound is wrong, which costs time
      if (thread_index() < own) {
        Word least = own_words()[thread_index()];
        BITUNE_UNROLL_N(8)
        for (u32 i = thread_index() + own; i < nt; i += own) least = minimum(least, own_words()[i]);
        own_words()[thread_index()] = least;
      }
    }
    sync_block();  // else the bound is wrong, which costs time
  }

  BITUNE_DEVICE static void tell_words() {
    for (u32 i = thread_index(); i < u32{groups}; i += nt) {
      Ranks::shared_of(of_row().words, i / own)[Ranks::own() * own + i % own] = own_words()[i % own];
    }
  }

  /// A word that the first `wanted` of the row's `length` keys are not behind. A barrier of the block.
  BITUNE_DEVICE static void find_word(u32 wanted, u32 length) {
    if (warp_index() == 0) {
      const PlacedBound<Word> bound = of_row().bound_of_words(maximum(wanted, 1u));
      if (lane() == 0) *found() = {bound, wanted, length, 0};
    }
    sync_block();
  }

  /// The bound of the first `wanted` of the row's `length` keys. A barrier of the block. is_first: words alone were
  /// tried for this row.
  BITUNE_DEVICE static void find_bound(u32 wanted, u32 length, bool is_first = false) {
    if (warp_index() == 0) {
      PlacedBound<Word> bound = of_row().bound(maximum(wanted, 1u));
      bound.end = minimum(bound.end, length);
      if (lane() == 0) *found() = {bound, wanted, length, static_cast<u32>(is_first ? layout::rows_by_places() : found()->by_places - 1)};
    }
    sync_block();
  }

  /// Sends keys, a bit for each, to the block `leader`, whose count is 0. How many there are in all. A barrier of all blocks.
  template <class Keys>
  BITUNE_DEVICE static u32 send(const Keys& keys, u32 bits, u32 leader) {
    if (!all_of_warp(bits == 0)) {
      const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
      u32 to = 0;
      if (lane() == 0) to = atomic_add(Ranks::shared_of(count(), leader), of_warp.all);
      to = shuffle(to, 0) + of_warp.before;
      const Buffer gathered{Ranks::shared_of(candidates().items, leader)};
      for (u32 left = bits; left != 0; left &= left - 1, ++to) {
        if (to < capacity) gathered[to] = keys.template item<Form>(bit_count((left & (0 - left)) - 1));
      }
    }
    Ranks::sync();
    return *Ranks::shared_of(count(), leader);
  }

  /// Sends the keys that are not behind the bound: at least as many as are wanted, and no more than there is room for.
  template <class Keys>
  BITUNE_DEVICE static u32 gather(const Keys& keys, u32 leader) {
    u32 bits = keys.not_behind(found()->bound.word, found()->bound.end, found()->length);
    while (true) {
      const u32 all = send(keys, bits, leader);
      if (all <= capacity) return all;
      Ranks::sync();
      bits = narrowed(keys, all, leader);
      if (thread_index() == 0) *count() = 0;
      Ranks::sync();
    }
  }

  /// By the leader: writes the first k of `all` candidates, of which the row has `wanted`.
  BITUNE_DEVICE static void write_first(const Row& result, u32 k, u32 all, u32 wanted) {
    if (stays && capacity <= layout::minima_of_warp()) {  // a warp's sort takes as long, and registers
      write_ranked<Buffer, Row, nt, (nt > 256 ? nt / 64 : 4), true>(candidates(), result, k, all, wanted);
    } else if (all <= layout::ranked_candidates()) {
      write_ranked<Buffer, Row, nt>(candidates(), result, k, all, wanted);
    } else {
      candidates().template sort<capacity>(all);
      candidates().write_first(result, k, wanted);
    }
  }

 private:
  /// Adds up numbers of all threads. Behind a barrier of all blocks; three more follow.
  BITUNE_DEVICE static u32 sum_of(u32 number, u32 leader) {
    if (thread_index() == 0) *count() = 0;
    Ranks::sync();
    u32 of_warp[1] = {number};
    warp_sum_each(of_warp);
    if (lane() == 0) atomic_add(Ranks::shared_of(count(), leader), of_warp[0]);
    Ranks::sync();
    const u32 sum = *Ranks::shared_of(count(), leader);
    Ranks::sync();
    return sum;
  }

  /// The keys that are not behind a bound which fewer keys are up to: `all` are too many.
  template <class Keys>
  BITUNE_DEVICE static u32 narrowed(const Keys& keys, u32 all, u32 leader) {
    RowBound<Word> bound(found()->bound.least, found()->bound.word, found()->length);
    bound.end = found()->bound.end;
    u32 bits;
    do {
      bound.narrow(all < found()->wanted);
      if (bound.low != bound.high) bound.end = found()->length;  // of words that are tried, all count
      bits = keys.not_behind(bound.word, bound.end, found()->length);
      all = sum_of(bit_count(bits), leader);
    } while (all < found()->wanted || all > capacity);
    return bits;
  }
};

}  // namespace bitune
