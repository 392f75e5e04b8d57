#pragma once

// The first k keys of rows that registers hold. Nothing but a few candidates is ever sorted.
//
// Each thread takes the smallest of several groups of its keys. The k-th smallest of these minima is a bound: k different keys at least
// are not behind it, whatever the keys are. Where the keys' places do not depend on their order, few others are: of twice as many groups
// as k, about k * 1.4. These candidates are gathered in shared memory, with their places, and sorted.
//
// Numbers of 32 bits need no words for that: they are compared as they are. NaNs pass any bound then, or none, as they do in order.
//
// Where more keys than there is room for are not behind the bound, as many equal ones may be, the bound is narrowed: by bisection, first
// of the keys, then of the places of those that equal the bound.

#include "kernels/topk/ranked_part.cuh"
#include "kernels/topk/selected_keys.cuh"

namespace bitune {

/// The keys of a row that has its threads for itself.
template <class Codec, PlacedForm form, int nt, int vt, int vector>
struct RowKeys : SelectedKeys<Codec, form, nt, vt, vector> {
  using Keys = SelectedKeys<Codec, form, nt, vt, vector>;
  using Raw = typename Codec::Raw;
  using Word = typename Keys::Word;
  using Keys::words;

  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    if (length == u32{nt} * vt && reinterpret_cast<u64>(row) % (vector * sizeof(Raw)) == 0) {
      load_whole(row);
    } else {
      Keys::load(row, length);
    }
  }

  /// Back to what was read, but that all NaNs may be one. Words that have their places stay as they are.
  BITUNE_DEVICE void decode() {
    if constexpr (Keys::Words::places == 0) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) words[r] = static_cast<Word>(Codec::decode(words[r]));
    }
  }

  /// Calls put(word, place) for each register with its bit.
  template <class Put>
  BITUNE_DEVICE void for_each(u32 bits, const Put& put) const {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if ((bits >> r & 1) != 0) put(words[r], Keys::place(r));
    }
  }

 private:
  /// A row that fills all registers: nothing is asked of each load.
  BITUNE_DEVICE void load_whole(const Raw* row) {
    Keys::first = RowThreads<nt>::index() * vector;
    Keys::inner = 1;
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; r += vector) load_vector(row + Keys::first + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Keys::has_numbers ? static_cast<Word>(raw[r]) : Keys::Words::make(raw[r], Keys::place(r));
  }
};

/// The bound of a row, and what is known of it: there are too few words below `low`, and too many up to `high`.
template <class Word>
struct RowBound {
  Word low, high;
  u32 from, to;       ///< the same of places, once `low` is `high`
  Word word;          ///< the bound
  u32 end;            ///< words that equal it count if they stand before this place
  bool first = true;  ///< the bound was not narrowed yet

  BITUNE_DEVICE RowBound(Word smallest, Word kth_minimum, u32 length)
      : low(smallest), high(kth_minimum), from(0), to(length), word(kth_minimum), end(length) {}

  /// The next bound to try, where up to this one there are too few or too many words.
  BITUNE_DEVICE void narrow(bool too_few) {
    if (low != high) {
      if (too_few) {
        low = word + 1;
      } else {
        high = word;
      }
      // Words that are equal are what nearly always is too many.
      word = first ? high - 1 : low + (high - low) / 2;
      first = false;
      if (low != high) return;
      word = high;
    } else if (too_few) {
      from = end;
    } else {
      to = end;
    }
    end = from + (to - from) / 2;
  }
};

/// The k-th smallest of a row's minima, and the smallest one. They have m of each of nt threads, which are at least k.
template <class Word, int nt, int m, int shuffle_steps>
struct KthMinimum {
  using Threads = RowThreads<nt>;
  static constexpr int all = nt * m;
  static constexpr bool by_warp = !Threads::is_block || all <= layout::minima_by_warp() || m == 1;
  static constexpr int threads = by_warp && Threads::is_block ? static_cast<int>(warp_size) : nt;
  static constexpr int vt = all / threads;
  static constexpr int steps = by_warp ? log2_of(threads) : shuffle_steps;
  using Tile = RegisterTile<Word, Comparator<0>, threads, vt, steps, !by_warp>;

  BITUNE_DEVICE static Word chosen(const Word (&sorted)[vt], u32 r) {
    Word word = sorted[0];
    BITUNE_UNROLL
    for (int i = 1; i < vt; ++i) word = r == u32(i) ? sorted[i] : word;
    return word;
  }

  /// shared: padded_bytes of all minima; found: two words behind it. Both where a row has a block. A barrier follows before `shared` is
  /// written again.
  BITUNE_DEVICE static void find(Word (&minima)[m], u32 k, Word* shared, Word* found, Word& smallest, Word& kth) {
    if constexpr (!Threads::is_block) {
      Tile::sort(nullptr, minima);
      const u32 first_lane = lane() & ~u32(nt - 1);
      kth = shuffle(chosen(minima, (k - 1) % m), first_lane + (k - 1) / m);
      smallest = shuffle(minima[0], first_lane);
    } else {
      const auto publish_found = [&](const Word(&sorted)[vt]) {
        if (Tile::thread_in_group() == 0) found[0] = sorted[0];
        if (Tile::thread_in_group() == (k - 1) / vt) found[1] = chosen(sorted, (k - 1) % vt);
      };
      if constexpr (by_warp) {
        BITUNE_UNROLL
        for (int r = 0; r < m; ++r) shared[r * nt + thread_index()] = minima[r];
        sync_block();
        if (warp_index() == 0) {
          Word sorted[vt];
          BITUNE_UNROLL
          for (int r = 0; r < vt; ++r) sorted[r] = shared[r * threads + thread_index()];
          Tile::sort(nullptr, sorted);
          publish_found(sorted);
        }
      } else {
        Tile::sort(shared, minima);
        publish_found(minima);
      }
      sync_block();
      smallest = found[0];
      kth = found[1];
    }
  }
};

/// Writes the first k keys of each of `rows` rows of n keys (at most nt * vt), in order, of equal keys those with the lowest places first:
/// keys_out (null: not, where there are indices), values_out and indices_out. lengths: how many keys of each row count (counted_keys).
///
/// minima: groups of keys of each thread; all are at least k. capacity: candidates of a row; at least k.
/// Grid: a block for every rows_per_block rows. Dynamic shared memory: rows_per_block times layout::selected_row.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int rows_per_block, int vector,
          int minima, int capacity, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
select_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
            typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
            const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
            typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u64 rows,
            u32 n, u32 k) {
  using Threads = RowThreads<nt>;
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Keys = RowKeys<Codec, form, nt, vt, vector>;
  using Word = typename Keys::Word;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  constexpr bool is_ranked = !Threads::is_block && capacity <= layout::ranked_by_part();
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
  Keys keys;
  keys.load(result.keys, length);

  RowSums<nt> sums(reinterpret_cast<u32*>(shared + parts.sums));
  const auto find = [&](Word(&of_thread)[minima], Word& smallest, Word& kth) {
    KthMinimum<Word, nt, minima, shuffle_steps>::find(of_thread, maximum(wanted, 1u), reinterpret_cast<Word*>(shared),
                                                      reinterpret_cast<Word*>(shared + parts.bound), smallest, kth);
  };
  u32 bits;
  ThreadSums count;
  bool is_found = false;
  Word smallest;
  Word kth;
  Word of_thread[minima];
  if constexpr (Keys::has_numbers) {
    keys.minima_of_numbers(of_thread);
    find(of_thread, smallest, kth);
    const NumberLimit<Codec> limit(kth);
    bits = keys.up_to(limit);
    count = sums(bit_count(bits));
    is_found = Threads::all_rows(limit.is_exact() && kth < Keys::Words::first_padding && count.all >= wanted && count.all <= capacity);
    if (!is_found) keys.encode();
  }
  if (!is_found) {
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
    if constexpr (is_ranked) keys.decode();
  }
  if constexpr (is_ranked) {
    Item* slot = candidates.items + count.before;
    keys.for_each(bits, [&](Word word, u32 place) {
      if constexpr (Keys::Words::places == 0) {
        *slot++ = slot_of<Row>(static_cast<typename Codec::Raw>(word), place);
      } else {
        *slot++ = word;
      }
    });
    Threads::sync();
    rank_in_part<Form, nt, capacity>(candidates.items, count.all, [&](const Item& item) { return result.fetched(item); });
    if (row < rows) candidates.write_first(result, k, wanted);
    return;
  }
  // The candidates' keys are read again: registers have no numbers that a thread could count by.
  for (u32 i = count.before; bits != 0; bits &= bits - 1, ++i) result.fetch(candidates[i], keys.place(lowest_bit(bits)));
  cp_async_wait_all();
  Threads::sync();
  for (u32 i = Threads::index(); i < count.all; i += nt) candidates[i] = result.fetched(candidates[i]);
  Threads::sync();
  candidates.template sort<capacity / 2>(count.all);
  if (row < rows) candidates.write_first(result, k, wanted);
}

}  // namespace bitune
