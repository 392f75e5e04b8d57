#pragma once

// A row's keys in the registers of a cluster of blocks, or of a block.
//
// Which group a key belongs to: neighbouring vectors of keys belong to different groups, and neighbouring warps' to different blocks. What
// recurs at a distance that is a multiple of all blocks' is in different ones, too. So where keys ascend, or change slowly, there are not
// many more candidates than of random keys.

#include "kernels/topk/cluster_ranks.cuh"
#include "kernels/topk/register_bits.cuh"
#include "kernels/topk/result_row.cuh"
#include "kernels/topk/select_rows.cuh"

namespace bitune {

/// The keys of a thread, as words. The cluster's threads are numbered warp by warp, and the warps block by block.
template <class Codec, class Order, PlacedForm form, int nt, int vt, int vector, int ranks>
struct ClusterWords : SelectedKeys<Codec, form, nt * ranks, vt, vector> {
  using Keys = SelectedKeys<Codec, form, nt * ranks, vt, vector>;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr int registers = vt;
  static constexpr int neighbours = vector;  ///< keys that stand next to each other, where they are vectors
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

  BITUNE_DEVICE bool are_vectors() const { return Keys::inner == 1; }

  /// The key in a register, and its place.
  template <class Form>
  BITUNE_DEVICE typename Form::Item item(u32 at) const {
    Word word = Keys::words[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) word = at == u32(r) ? Keys::words[r] : word;
    return Form::make(word, Keys::place(at));
  }

  /// The registers whose places are `from` to `end`.
  BITUNE_DEVICE u32 within(u32 from, u32 end) const {
    return first_registers(Keys::registers_before(end)) & ~first_registers(Keys::registers_before(from));
  }

  /// The registers whose words are below `bound`, or equal it and stand before the place `end` of a row of that length.
  BITUNE_DEVICE u32 not_behind(Word bound, u32 end, u32 length) const {
    u32 bits = registers_where<vt>([&](int r) { return Keys::words[r] <= bound; });
    // What the row lacks has the last word.
    if (end < length || bound == Codec::mask) bits &= first_registers(Keys::registers_before(end)) | ~equal_to(bound);
    return bits;
  }

  BITUNE_DEVICE u32 equal_to(Word word) const {
    return registers_where<vt>([&](int r) { return Keys::words[r] == word; });
  }

  /// Whether the thread has any of a row of that length, and how many of the cluster's threads have.
  BITUNE_DEVICE bool has_any(u32 length) const { return Keys::first < length; }
  BITUNE_DEVICE u32 threads_with_any(u32 length) const { return minimum(are_vectors() ? (length + vector - 1) / vector : length, all); }

  /// The smallest word; what the row lacks has the last one.
  BITUNE_DEVICE Word least() const {
    Word least = Keys::words[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) least = minimum(least, static_cast<Word>(Keys::words[r]));
    return least;
  }

  /// The largest word, of a row of that length; 0 without any.
  BITUNE_DEVICE Word largest(u32 length) const {
    const u32 in_row = within(0, length);
    Word largest = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if ((in_row >> r & 1) != 0) largest = maximum(largest, static_cast<Word>(Keys::words[r]));
    }
    return largest;
  }
};

/// The same as they are read: numbers of 32 bits as numbers until `encode`, which take no instructions then; others as words.
template <class Codec, class Order, PlacedForm form, int nt, int vt, int vector, int ranks>
struct ClusterKeys : ClusterWords<Codec, Order, form, nt, vt, vector, ranks> {
  using AsWords = ClusterWords<Codec, Order, form, nt, vt, vector, ranks>;
  using Keys = typename AsWords::Keys;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;

  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    const bool vectors = reinterpret_cast<u64>(row) % (vector * sizeof(Raw)) == 0 && length % vector == 0;
    AsWords::stand_as(vectors);
    Raw raw[vt];  // what the row lacks is the last key there is
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Codec::decode(Codec::mask);
    if (vectors) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        if (Keys::first + r * AsWords::all < length) {
          load_vector(row + Keys::first + r * AsWords::all, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        }
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (Keys::first + r * AsWords::all < length) raw[r] = row[Keys::first + r * AsWords::all];
      }
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) set(r, raw[r]);
  }

  /// Where a thread has each key by itself: then it is known how they stand.
  BITUNE_DEVICE void load_each(const Raw* row, u32 length) {
    static_assert(vector == 1);
    AsWords::stand_as(true);
    const Raw* const mine = row + Keys::first;
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Keys::first + r * AsWords::all < length ? mine[r * AsWords::all] : Codec::decode(Codec::mask);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) set(r, raw[r]);
  }

  BITUNE_DEVICE void set(u32 r, Raw raw) { Keys::words[r] = Keys::has_numbers ? static_cast<Word>(raw) : Order::encode(raw); }

  /// The smallest word of the thread.
  BITUNE_DEVICE Word least() const {
    if constexpr (Keys::has_numbers) {
      float first = float_of(static_cast<u32>(Keys::words[0]));
      BITUNE_UNROLL
      for (int r = 1; r < vt; ++r) {
        const float number = float_of(static_cast<u32>(Keys::words[r]));
        // NaNs come first, or last.
        first = NumberLimit<Codec>::is_descending ? larger_number_or_nan(first, number) : smaller_number(first, number);
      }
      if (first < 0 || first > 0) return Order::encode(static_cast<Raw>(bits_of(first)));
    }
    // Words tell NaNs, and zeros of both signs.
    Word least = word_of(0);
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) least = minimum(least, word_of(r));
    return least;
  }

  /// The keys up to a word, whatever their places: a bit for each. False where they cannot be told so, as with NaNs.
  BITUNE_DEVICE bool up_to(Word word, u32& bits) const {
    if (word >= Codec::mask) return false;  // what the row lacks has that word, too
    if constexpr (Keys::has_numbers) {
      const NumberLimit<Codec> limit(word);
      bits = Keys::up_to(limit);
      return limit.is_exact();
    } else {
      bits = registers_where<vt>([&](int r) { return Keys::words[r] <= word; });
      return true;
    }
  }

  /// The keys that a word stands for.
  BITUNE_DEVICE u32 equal_to(Word word) const {
    if constexpr (!Keys::has_numbers) return AsWords::equal_to(word);
    if constexpr (Order::reads_nans) {
      if (NanWord<Codec>::is(word)) {
        return registers_where<vt>([&](int r) {
          const float number = float_of(static_cast<u32>(Keys::words[r]));
          return number != number;
        });
      }
    }
    return AsWords::equal_to(static_cast<Word>(Codec::decode(word)));
  }

  template <class Form>
  BITUNE_DEVICE typename Form::Item item(u32 at) const {
    const auto item = AsWords::template item<Form>(at);
    if constexpr (!Keys::has_numbers) return item;
    return Form::make(Order::encode(static_cast<Raw>(Form::key(item))), Form::place(item));
  }

  BITUNE_DEVICE AsWords& encode() {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) Keys::words[r] = word_of(r);
    return *this;
  }

 private:
  BITUNE_DEVICE Word word_of(u32 r) const {
    return Keys::has_numbers ? Order::encode(static_cast<Raw>(Keys::words[r])) : static_cast<Word>(Keys::words[r]);
  }
};

}  // namespace bitune
