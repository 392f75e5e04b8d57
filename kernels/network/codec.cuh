#pragma once

// Codecs: bijections between a key's bits and unsigned words that order as the key does. The network sees only words,
// and sorts them ascending; a descending sort complements them.
//
// Floating point: inverting the negative numbers and setting the sign of the others gives the usual order, with the negative NaNs below
// -infinity. Then the image of -infinity is subtracted. This moves -infinity to 0, and the negative NaNs wrap around to the top. So every
// NaN is last, all bits are kept, and -0 comes before +0.

#include "kernels/platform/platform.cuh"

namespace bitune {

enum class KeyClass { unsigned_integer, signed_integer, floating_point };

/// The unsigned type in which keys of `bytes` bytes are stored, the word that registers hold them in, and that word with a sign.
template <int bytes>
struct Storage;
template <>
struct Storage<1> {
  using Raw = u8;
  using Word = u32;
  using SignedWord = i32;
};
template <>
struct Storage<2> {
  using Raw = u16;
  using Word = u32;
  using SignedWord = i32;
};
template <>
struct Storage<4> {
  using Raw = u32;
  using Word = u32;
  using SignedWord = i32;
};
template <>
struct Storage<8> {
  using Raw = u64;
  using Word = u64;
  using SignedWord = i64;
};

/// bytes: size of a key. exponent_bits: of a floating-point format (0 for integers); the rest is sign and mantissa.
template <int bytes_, KeyClass key_class, int exponent_bits, bool descending>
struct Codec {
  static constexpr int bytes = bytes_;
  static constexpr int bits = 8 * bytes;
  using Raw = typename Storage<bytes>::Raw;
  using Word = typename Storage<bytes>::Word;
  using SignedWord = typename Storage<bytes>::SignedWord;

  static constexpr Word mask = static_cast<Word>(~Word{0}) >> (8 * sizeof(Word) - bits);
  static constexpr Word sign = Word{1} << (bits - 1);
  static constexpr Word negative_infinity =
      exponent_bits == 0 ? 0 : (((Word{1} << (exponent_bits + 1)) - 1) << (bits - 1 - exponent_bits));
  static constexpr Word shift = ~negative_infinity & mask;  // image of -infinity before the shift

  /// A word that no key exceeds. It fills what a tile lacks, and stays where it is. It may equal the word of a key. Their bits are the same
  /// then, so that it does not matter which of them is stored.
  static constexpr Word padding = ~Word{0};

  BITUNE_DEVICE static Word encode(Raw raw) {
    Word word = raw;
    if constexpr (key_class == KeyClass::signed_integer) {
      word ^= sign;
    } else if constexpr (key_class == KeyClass::floating_point) {
      return invert_and_add<!descending>(sign, word, descending ? shift : sign - shift) & mask;
    }
    return descending ? word ^ mask : word;
  }

  BITUNE_DEVICE static Raw decode(Word word) {
    if constexpr (key_class == KeyClass::floating_point) {
      word = plus_constant(word, descending ? Word{0} - shift : shift);
      return static_cast<Raw>(invert_and_add<false>(sign, word, descending ? 0 : sign));
    }
    if constexpr (descending) word ^= mask;
    if constexpr (key_class == KeyClass::signed_integer) word ^= sign;
    return static_cast<Raw>(word);
  }
};

/// What travels with a key through the network. Only keys alone are built: a payload becomes a specialisation whose
/// Item holds both, and whose padding differs from every key.
struct NoPayload {};

template <class Codec, class Payload>
struct ItemOf;

template <class Codec>
struct ItemOf<Codec, NoPayload> {
  using Item = typename Codec::Word;
};

template <class Codec, class Payload>
using Item = typename ItemOf<Codec, Payload>::Item;

}  // namespace bitune
