#pragma once

// The keys of a short row in the registers of a few lanes. Words of 32 bits have as many leading bits of a key as there is room for, and the
// key's place. Keys that agree in these bits may be in the wrong order. So where some of those that were found do, all keys are looked at once
// more. If something is wrong, words have the leading bits of the distance from the first key, up to the last one that is wanted. If these
// are not enough either, the first keys are found one by one, in all their bits.

#include "kernels/network/codec.cuh"
#include "kernels/network/meta.cuh"
#include "kernels/topk/first_words.cuh"

namespace bitune {

/// All NaNs as one word. Its order among others is TieCodec's.
template <class Codec_>
struct JoinedNans {
  using Word = typename Codec_::Word;
  static constexpr bool exist = false;
  static constexpr bool are_first = false;
  static constexpr Word nan = 0;
  BITUNE_DEVICE static Word of(Word word) { return word; }
};
template <int bytes, int exponent_bits, bool descending>
struct JoinedNans<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  using Word = typename Base::Word;
  static constexpr Word infinity = Base::negative_infinity - Base::shift;  ///< ascending: the last word of a number
  static constexpr bool exist = true;
  static constexpr bool are_first = descending;
  static constexpr Word nan = descending ? (Base::mask ^ infinity) - 1 : infinity + 1;
  BITUNE_DEVICE static Word of(Word word) { return descending ? maximum(word, nan) : minimum(word, nan); }
};

/// A row of at most nt * vt keys, which nt neighbouring lanes load by vectors. carries: whether something travels with the keys, so that all
/// NaNs are equal. list: words of a list, more than keys are wanted.
template <class Codec, bool carries, int nt, int vt, int vector, int list>
struct LaneRow {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using First = FirstWords<nt, vt, list>;
  using Nans = JoinedNans<Codec>;
  static constexpr u32 capacity = nt * vt;
  static constexpr u32 place_bits = log2_of(2 * capacity - 1);
  static constexpr u32 place_mask = (u32{1} << place_bits) - 1;
  /// Whether a word has room for a key and a place.
  static constexpr bool is_narrow = Codec::bits + place_bits <= 32;
  static constexpr bool joins_nans = carries && Nans::exist;
  static_assert(vt % vector == 0 && capacity > 1);

  const Raw* keys;
  u32 length;  ///< of the row's keys that count
  u32 wanted;  ///< of these
  u32 own;     ///< the lane's first place
  u32 items[First::all];

  BITUNE_DEVICE LaneRow(const Raw* keys_, u32 length_, u32 k)
      : keys(keys_), length(length_), wanted(minimum(k, length_)), own((lane() & (nt - 1)) * vector) {}

  /// Finds the first keys. Then items has their places, in order. All lanes of the warp call it.
  BITUNE_DEVICE void find() {
    {
      Word words[vt];
      load(words);
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; ++r) items[r] = leading(is_narrow ? joined(words[r]) : words[r]) | fixed(r);
    }
    find_items();
    if constexpr (!is_narrow) {
      u32 closest = items[0] ^ items[1];
      BITUNE_UNROLL
      for (int i = 1; i + 1 < list; ++i) closest = minimum(closest, items[i] ^ items[i + 1]);
      const bool is_sure = closest > place_mask && !(joins_nans && may_be_nan(items[Nans::are_first ? 0 : list - 1]));
      if (!all_of_warp(is_sure)) find_in_all_bits();
    }
  }

  /// Of the result, if there is one: i < wanted.
  BITUNE_DEVICE u32 place(int i) const { return items[i] & place_mask; }

 private:
  /// Place of a register in the row, but for the lane's first one. None of its bits is in both.
  BITUNE_DEVICE static constexpr u32 fixed(u32 r) { return r / vector * vector * nt + r % vector; }
  BITUNE_DEVICE static constexpr Word joined(Word word) { return joins_nans ? Nans::of(word) : word; }
  BITUNE_DEVICE static constexpr bool is_before(Word a, u32 place_a, Word b, u32 place_b) { return a < b || (a == b && place_a < place_b); }

  BITUNE_DEVICE static constexpr u32 leading(Word word) {
    if (is_narrow) return static_cast<u32>(word) << place_bits;
    return static_cast<u32>(word >> (is_narrow ? 0 : Codec::bits - 32)) & ~place_mask;
  }
  BITUNE_DEVICE static bool may_be_nan(u32 item) {
    return Nans::are_first ? item <= (leading(Nans::nan) | place_mask) : item >= leading(Nans::nan);
  }

  BITUNE_DEVICE void find_items() {
    if (length != capacity) {
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; ++r) items[r] = own + fixed(r) < length ? items[r] : First::padding;
    }
    First::pad(items);
    First::find_own(items);
    BITUNE_UNROLL
    for (int i = 0; i < list; ++i) items[i] |= own;
    First::find_all(items);
  }

  BITUNE_DEVICE bool are_vectors() const {
    return reinterpret_cast<u64>(keys) % (vector * sizeof(Raw)) == 0 && length % vector == 0 && length != 0;
  }

  /// Where the row lacks a place, there is another one of its keys.
  BITUNE_DEVICE void load(Word (&words)[vt]) const {
    Raw raw[vt];
    const bool vectors = are_vectors();
    if (vectors && length == capacity) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) load_vector(keys + own + fixed(r), *reinterpret_cast<Raw(*)[vector]>(raw + r));
    } else if (vectors) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) load_vector(keys + minimum(own + fixed(r), length - vector), *reinterpret_cast<Raw(*)[vector]>(raw + r));
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) raw[r] = keys[minimum(own + fixed(r), maximum(length, 1u) - 1)];
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Codec::encode(raw[r]);
  }

  /// Calls use(word, place) for each of the lane's keys, which are read again: what held all of them meanwhile would take registers from all
  /// rows. A few at once, for the same reason.
  template <class Use>
  BITUNE_DEVICE void each_word(const Use& use) const {
    const bool vectors = are_vectors();
    BITUNE_UNROLL_N(4)
    for (u32 r = 0; r < vt; r += vector) {
      const u32 first = own + r * nt;
      Raw raw[vector];
      if (vectors) {
        load_vector(keys + minimum(first, length - vector), raw);
      } else {
        BITUNE_UNROLL
        for (u32 i = 0; i < vector; ++i) raw[i] = keys[minimum(first + i, maximum(length, 1u) - 1)];
      }
      BITUNE_UNROLL
      for (u32 i = 0; i < vector; ++i) {
        if (first + i < length) use(joined(Codec::encode(raw[i])), first + i);
      }
    }
  }

  BITUNE_DEVICE void find_in_all_bits() {
    if (all_of_warp(are_sure()) || has_first()) return;
    if (find_in_range() || has_first()) return;
    find_one_by_one();
  }

  /// Whether the items that are wanted, and the next one, differ in more than their places, and none is a NaN.
  BITUNE_DEVICE bool are_sure() const {
    bool sure = true;
    BITUNE_UNROLL
    for (u32 i = 0; i < list - 1; ++i) {
      if (i >= wanted) continue;
      if (i + 1 < length && (items[i] ^ items[i + 1]) <= place_mask) sure = false;
      if (joins_nans && may_be_nan(items[i])) sure = false;
    }
    return sure;
  }

  /// Whether `items` has the first keys of all of the warp's rows, whatever it was found by: whether they are in order, and no others come
  /// before the last one.
  BITUNE_DEVICE bool has_first() const {
    bool found = true;
    Word last = 0;
    u32 last_place = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i < list - 1; ++i) {
      if (i >= wanted) continue;
      const Word word = joined(Codec::encode(keys[place(i)]));
      if (i != 0 && !is_before(last, last_place, word, place(i))) found = false;
      last = word;
      last_place = place(i);
    }
    if (!all_of_warp(found)) return false;
    u32 count = 0;  // of keys before the last one
    each_word([&](Word word, u32 place) { count += is_before(word, place, last, last_place) ? 1 : 0; });
    BITUNE_UNROLL
    for (u32 width = 1; width < nt; width *= 2) count += shuffle_xor(count, width);
    return all_of_warp(count + 1 == maximum(wanted, 1u));
  }

  /// Finds them by their distance from the first key, if it is no more than that of the last one that is wanted. Whether that is exact.
  BITUNE_DEVICE bool find_in_range() {
    u32 item = items[0];
    BITUNE_UNROLL
    for (u32 i = 1; i < list - 1; ++i) item = i < wanted ? items[i] : item;
    constexpr int lacking = is_narrow ? 0 : Codec::bits - 32;
    const Word least = joined(Word{items[0] & ~place_mask} << lacking);
    const Word most = joined((Word{item | place_mask} << lacking) | ((Word{1} << lacking) - 1));
    const u32 shift = minimum(leading_zeros(most - least) - (64 - Codec::bits), u32{Codec::bits} - 1);
    Word words[vt];
    load(words);
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; ++r) {
      const Word word = joined(words[r]);
      items[r] = word > most ? First::padding : leading((word - least) << shift) | fixed(r);
    }
    find_items();
    return all_of_warp(shift >= place_bits + lacking);
  }

  BITUNE_DEVICE void find_one_by_one() {
    Word last = 0;
    u32 last_place = 0;
    BITUNE_UNROLL_N(1)
    for (u32 i = 0; i + 1 < list; ++i) {
      Word first = ~Word{0};
      u32 first_place = ~u32{0};
      const auto take = [&](Word word, u32 place) {
        if (!is_before(word, place, first, first_place)) return;
        first = word;
        first_place = place;
      };
      each_word([&](Word word, u32 place) {
        if (i == 0 || is_before(last, last_place, word, place)) take(word, place);
      });
      BITUNE_UNROLL
      for (u32 width = 1; width < nt; width *= 2) {
        const Word word = shuffle_xor(first, width);
        take(word, shuffle_xor(first_place, width));
      }
      BITUNE_UNROLL
      for (u32 r = 0; r < list; ++r) items[r] = r == i ? first_place : items[r];
      last = first;
      last_place = first_place;
    }
  }
};

}  // namespace bitune
