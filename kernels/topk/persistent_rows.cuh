#pragma once

// The first k keys of many rows that the registers of a block or a cluster hold, by blocks that stay.
//
// Each row is chosen from as in cluster_choice.cuh: a bound from the minima of groups of keys, and what is not behind it is put in order. But a
// cluster takes one row after the other. As soon as a row is in registers, the next one is on its way to shared memory. So memory is read while
// the blocks compare, wait for each other and write, and no row waits for a sample.
//
// A thread copies what it takes to registers afterwards, and nothing else: for these copies there is no barrier. A row has two barriers of
// the cluster. The blocks take turns to put candidates in order, so that a block may do that while others begin with the next row.
//
// The bound is a word at first. Where too many keys equal it, places are told, too; so are those of the next rows, which are likely to be alike.

#include "kernels/network/carried_value.cuh"
#include "kernels/topk/cluster_choice.cuh"

namespace bitune {

/// A thread's keys of a row: numbers as they are read, until `encoded`; others by their words.
template <class Codec, class Order, PlacedForm form, int nt, int vt, int ranks>
struct ChosenKeys : ClusterKeys<Codec, Order, form, nt, vt, 16 / static_cast<int>(sizeof(typename Codec::Raw)), ranks> {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr int vector = 16 / static_cast<int>(sizeof(Raw));
  using Keys = ClusterKeys<Codec, Order, form, nt, vt, vector, ranks>;
  using Selected = typename Keys::Keys;

  BITUNE_DEVICE static Word word_of(Raw raw) { return Order::encode(raw); }

  /// The smallest word of the thread.
  BITUNE_DEVICE Word least() const {
    Word of_thread[1];
    if constexpr (Selected::has_numbers) {
      Selected::minima_of_numbers(of_thread);
    } else {
      Selected::minima(of_thread);
    }
    return of_thread[0];
  }

  /// The keys up to a word, whatever their places: a bit for each. Nothing where these cannot be told so, as with NaNs.
  BITUNE_DEVICE bool up_to(Word word, u32& bits) const {
    if (word >= Selected::Words::first_padding) return false;
    if constexpr (Selected::has_numbers) {
      const NumberLimit<Codec> limit(word);
      bits = Selected::up_to(limit);
      return limit.is_exact();
    } else {
      bits = 0;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) bits |= Selected::words[r] <= word ? u32{1} << r : 0;
      return true;
    }
  }

  template <class Form>
  BITUNE_DEVICE typename Form::Item item(u32 at) const {
    if constexpr (Selected::has_numbers) {
      const auto raw = Keys::template item<Form>(at);
      return Form::make(Order::encode(static_cast<Raw>(Form::key(raw))), Form::place(raw));
    } else {
      return Keys::template item<Form>(at);
    }
  }

  BITUNE_DEVICE Keys& encoded() {
    if constexpr (Selected::has_numbers) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) Selected::words[r] = Order::encode(static_cast<Raw>(Selected::words[r]));
    }
    return *this;
  }
};

/// A thread's keys of the next row, on their way to shared memory, where no other thread reads them.
template <class Keys, int nt, int vt>
struct CopiedKeys {
  using Raw = typename Keys::Raw;
  static constexpr int vector = Keys::vector;
  static_assert(vt % vector == 0);

  /// The thread's keys in registers r to r + vector, of nt * vt keys.
  BITUNE_DEVICE static Raw* copied(int r) { return shared_memory<Raw>() + r * nt + thread_index() * vector; }

  BITUNE_DEVICE static bool are_vectors(const Raw* row) { return reinterpret_cast<u64>(row) % 16 == 0; }

  /// Begins to copy. What the row lacks is `last`.
  BITUNE_DEVICE static void begin(const Raw* row, u32 length, Raw last) {
    const bool vectors = are_vectors(row);
    Keys keys;
    keys.stand_as(vectors);
    if (vectors && length >= Keys::all * vt) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) cp_async_16(copied(r), row + keys.first + r * Keys::all);
      return;
    }
    BITUNE_UNROLL_N(1)
    for (int r = 0; r < vt; r += vector) {
      const u32 place = keys.place(r);
      if (vectors && place + vector <= length) {
        cp_async_16(copied(r), row + place);
        continue;
      }
      BITUNE_UNROLL_N(1)
      for (int i = 0; i < vector; ++i) {
        const u32 at = place + i * keys.inner;
        if (at < length) {
          copy_to_shared(copied(r) + i, row + at);
        } else {
          copied(r)[i] = last;
        }
      }
    }
  }

  /// Waits for what was copied, and takes it.
  BITUNE_DEVICE static void take(Keys& keys, const Raw* row) {
    using Word = typename Keys::Word;
    keys.stand_as(are_vectors(row));
    cp_async_wait_all();
    BITUNE_UNROLL
    for (int r = 0; r < vt; r += vector) {
      Raw raw[vector];
      load_vector(copied(r), raw);
      BITUNE_UNROLL
      for (int i = 0; i < vector; ++i) keys.words[r + i] = Keys::Selected::has_numbers ? static_cast<Word>(raw[i]) : Keys::word_of(raw[i]);
    }
  }
};

/// Writes the first k keys of each of `rows` rows of n keys (at most ranks * nt * vt), as select_cluster does; k is at most `groups`.
///
/// groups: of a row's keys, `ranks` to ranks * nt. capacity: candidates that there is room for, at least k.
/// Grid: as many clusters of `ranks` blocks (1: blocks) as run at once. Dynamic shared memory: the keys of a block's threads,
/// and layout::cluster_choice behind them.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int ranks, int groups, int capacity,
          int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
persistent_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 rows,
                u32 n, u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Choice =
      ClusterChoice<Codec, Row, nt, ranks, groups, capacity, shuffle_steps, nt * vt * static_cast<int>(sizeof(typename Codec::Raw)), true>;
  using Ranks = ClusterRanks<ranks>;
  using Keys = ChosenKeys<Codec, typename Row::Order, form, nt, vt, ranks>;
  using Copied = CopiedKeys<Keys, nt, vt>;
  if (thread_index() == 0) {
    *Choice::count() = 0;
    Choice::found()->by_places = 0;
  }
  if constexpr (ranks > 1) arrive_at_cluster();

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u32 clusters = block_count() / ranks;
  const auto keys_of = [&](u32 row) { return keys_in + u64{row} * keys_in_stride; };
  const auto length_of = [&](u32 row) { return counted_keys(lengths, length_bytes, row, n); };
  u32 row = block_index() / ranks;
  const auto begin_row = [&](u32 of) { Copied::begin(keys_of(of), length_of(of), Codec::decode(Codec::mask)); };
  begin_row(row);
  if constexpr (ranks > 1) wait_for_cluster();
  sync_block();  // thread 0 has set the count
  for (; row < rows; row += clusters) {
    Keys keys;
    Copied::take(keys, keys_of(row));
    const typename Codec::Word least = keys.least();
    if (row + clusters < rows) begin_row(row + clusters);
    // While minima are sorted registers hold nothing but keys and the row's number: what else there is of the row is found anew.
    const auto leader = [&] { return opaque(row) / clusters % ranks; };
    const auto stand = [&] { keys.stand_as(Copied::are_vectors(keys_of(opaque(row)))); };
    u32 all = 0;
    const bool by_words = Choice::found()->by_places == 0;
    if (by_words) {
      Choice::find_words(least);
      Choice::tell_words();
      Ranks::sync();
      // All have read what the leader before had counted. A barrier is between this and the next time that it counts.
      if (thread_index() == 0 && Ranks::own() == (leader() - 1) % ranks) *Choice::count() = 0;
      Choice::find_word(minimum(k, length_of(row)), length_of(row));
      u32 bits = 0;
      if (keys.up_to(Choice::found()->bound.word, bits)) {
        stand();
        all = Choice::send(keys, bits, leader());
      }
    }
    if (!by_words || all < Choice::found()->wanted || all > capacity) {
      // Many equal keys, or NaNs: by words and places.
      Ranks::sync();
      if (thread_index() == 0) *Choice::count() = 0;
      auto& words = keys.encoded();
      Choice::find_minima(words.minimum_of_thread());
      Choice::tell_minima();
      Ranks::sync();
      Choice::find_bound(minimum(k, length_of(row)), length_of(row), by_words);
      stand();
      all = Choice::gather(words, leader());
    }
    if (Ranks::own() != leader()) continue;
    const u32 of = opaque(row);
    const Row result(of, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                     indices_out, indices_out_stride);
    Choice::write_first(result, k, all, minimum(k, length_of(of)));
  }
  if constexpr (ranks > 1) sync_cluster();  // others may read this block's until then
}

}  // namespace bitune
