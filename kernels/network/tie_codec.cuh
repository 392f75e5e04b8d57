#pragma once

// Ties where something travels with the keys: then all NaNs are equal keys, as in NumPy, and each keeps its bits. -0 and +0 stay two
// keys. Keys travel as words of their own codec. Only what they are compared by, or their digits, comes from the word of this one.

#include "kernels/network/codec.cuh"

namespace bitune {

/// The codec of keys that are only compared, never decoded. Integers have no equal keys of different bits.
template <class Codec_>
struct TieCodec : Codec_ {
  /// What a word of the codec is compared by.
  BITUNE_DEVICE static typename Codec_::Word ordered(typename Codec_::Word word) { return word; }
};

/// NaNs get the last word there is, where they are last, and the first where they come first. Padding is behind all keys, or equals them.
template <int bytes, int exponent_bits, bool descending>
struct TieCodec<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>>
    : Codec<bytes, KeyClass::floating_point, exponent_bits, descending> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  using Raw = typename Base::Raw;
  using Word = typename Base::Word;
  BITUNE_DEVICE static Word ordered(Word word) {
    constexpr Word infinity = Base::negative_infinity - Base::shift;  // ascending: the last word of a number
    if constexpr (descending) return word < (Base::mask ^ infinity) ? Word{0} : word;
    return word > infinity ? Base::padding : word;
  }

  BITUNE_DEVICE static Word encode(Raw raw) { return ordered(Base::encode(raw)); }
};

}  // namespace bitune
