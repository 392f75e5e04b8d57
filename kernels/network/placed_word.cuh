#pragma once

// Keys with their places: what a network sorts where values or indices go with the keys. The place is the key's index in its row. Words
// are compared by key, then by place, so that no two are equal. Every network is stable by that, and gives one result whatever its
// configuration. Values need not go through the network: they are fetched by place afterwards.
//
// What a row lacks is filled with the largest key, and with places behind the row's end. So it is behind all keys of the row.

#include "kernels/network/comparator.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/platform/doubles.cuh"

namespace bitune {

/// How a key and its place lie in registers.
enum class PlacedForm {
  word32,     ///< a key of at most 16 bits above a place of 16
  word64,     ///< a key of at most 32 bits above a place of 32
  as_double,  ///< a key of at most 32 bits above a place of 30, compared as floating-point numbers
  planes,     ///< a key of 64 bits, and a place of 32
};

/// A word below 2^62. It is compared on the pipe for 64-bit floating point, which is idle otherwise: one comparison instead of two.
struct DoubleWord {
  u64 bits;

  DoubleWord() = default;
  BITUNE_DEVICE explicit DoubleWord(u64 word) : bits(word) {}
  BITUNE_DEVICE explicit operator u64() const { return bits; }
  BITUNE_DEVICE friend bool operator<(DoubleWord a, DoubleWord b) { return double_of(a.bits) < double_of(b.bits); }
};

/// A key of 64 bits and its place.
struct KeyAndPlace {
  u64 key;
  u32 place;

  BITUNE_DEVICE friend bool operator<(KeyAndPlace a, KeyAndPlace b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
};

/// Words of a codec with their places. Item is what a network sorts.
template <class Word_, PlacedForm form>
struct Placed;

template <class Word_>
struct Placed<Word_, PlacedForm::word32> {
  using Item = u32;
  BITUNE_DEVICE static Item make(u32 key, u32 place) { return key << 16 | place; }
  BITUNE_DEVICE static u32 key(Item item) { return item >> 16; }
  BITUNE_DEVICE static u32 place(Item item) { return item & 0xffff; }
};

template <class Word_>
struct Placed<Word_, PlacedForm::word64> {
  using Item = u64;
  BITUNE_DEVICE static Item make(u32 key, u32 place) { return u64{key} << 32 | place; }
  BITUNE_DEVICE static u32 key(Item item) { return static_cast<u32>(item >> 32); }
  BITUNE_DEVICE static u32 place(Item item) { return static_cast<u32>(item); }
};

template <class Word_>
struct Placed<Word_, PlacedForm::as_double> {
  using Item = DoubleWord;
  BITUNE_DEVICE static Item make(u32 key, u32 place) { return Item(u64{key} << 30 | place); }
  BITUNE_DEVICE static u32 key(Item item) { return static_cast<u32>(item.bits >> 30); }
  BITUNE_DEVICE static u32 place(Item item) { return static_cast<u32>(item.bits) & 0x3fffffff; }
};

template <class Word_>
struct Placed<Word_, PlacedForm::planes> {
  using Item = KeyAndPlace;
  BITUNE_DEVICE static Item make(u64 key, u32 place) { return {key, place}; }
  BITUNE_DEVICE static u64 key(Item item) { return item.key; }
  BITUNE_DEVICE static u32 place(Item item) { return item.place; }
};

/// As Comparator, for all items of Placed. Whatever is smaller is selected. The larger one has the other bits of both.
template <int imad_quarters>
struct PlacedComparator : Comparator<imad_quarters> {
  using Comparator<imad_quarters>::apply;
  using Comparator<imad_quarters>::by_imad;

  BITUNE_DEVICE static void apply(DoubleWord& a, DoubleWord& b, int index) {
    const u64 low = b < a ? b.bits : a.bits;
    b.bits = other(a.bits, b.bits, low, index);
    a.bits = low;
  }

  BITUNE_DEVICE static void apply(KeyAndPlace& a, KeyAndPlace& b, int index) {
    const bool swapped = b < a;
    const u64 key = swapped ? b.key : a.key;
    const u32 place = swapped ? b.place : a.place;
    b.key = other(a.key, b.key, key, index);
    b.place = by_imad(index) ? maximum_by_imad(a.place, b.place, place) : a.place ^ b.place ^ place;
    a.key = key;
    a.place = place;
  }

 private:
  /// The one of two words that was not chosen.
  BITUNE_DEVICE static u64 other(u64 a, u64 b, u64 chosen, int index) {
    return by_imad(index) ? maximum_by_imad(a, b, chosen) : a ^ b ^ chosen;
  }
};

// RegisterTile finds these by their arguments.

BITUNE_DEVICE DoubleWord select_by(bool smaller, DoubleWord a, DoubleWord b) {
  move_if((b < a) == smaller, a.bits, b.bits);
  return a;
}

BITUNE_DEVICE KeyAndPlace select_by(bool smaller, KeyAndPlace a, KeyAndPlace b) {
  const bool is_second = (b < a) == smaller;
  move_if(is_second, a.key, b.key);
  move_if(is_second, a.place, b.place);
  return a;
}

/// A lane passes 8 bytes at most: keys and places apart.
template <u32 N>
BITUNE_DEVICE void shuffle_xor_each(const KeyAndPlace (&values)[N], u32 lane_mask, KeyAndPlace (&received)[N]) {
  u64 keys[N];
  u32 places[N];
  u64 received_keys[N];
  u32 received_places[N];
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) {
    keys[i] = values[i].key;
    places[i] = values[i].place;
  }
  shuffle_xor_each(keys, lane_mask, received_keys);
  shuffle_xor_each(places, lane_mask, received_places);
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) received[i] = {received_keys[i], received_places[i]};
}

/// The word that all NaNs have with a TieCodec. Their own bits are read again from the input, by place.
template <class Codec>
struct NanWord {
  static constexpr bool exists = false;
  BITUNE_DEVICE static bool is(typename Codec::Word /*word*/) { return false; }
};

template <int bytes, int exponent_bits, bool descending>
struct NanWord<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  static constexpr bool exists = true;
  BITUNE_DEVICE static bool is(typename Base::Word word) { return word == (descending ? 0 : Base::mask); }
};

}  // namespace bitune
