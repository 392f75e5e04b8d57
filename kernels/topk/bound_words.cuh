#pragma once

// A bound among a row's keys, and which keys it lets through.
//
// A bound is a key with its place, so that it parts equal keys, too. But most keys are told by themselves. In a stretch of a row that is
// before the bound's place, keys up to the bound's pass; behind it, only keys below.

#include "kernels/network/first_keys.cuh"

namespace bitune {

/// The words, as a codec encodes keys, that stand at an end of the keys which compare alike: NaNs, where they are all equal, and otherwise
/// each word by itself. `key`: as they are compared.
template <class Codec, bool equal_nans>
struct AlikeWords {
  using Word = typename Codec::Word;
  BITUNE_DEVICE static Word last(Word key) { return key; }
  BITUNE_DEVICE static bool has_below(Word key) { return key != 0; }
  BITUNE_DEVICE static Word last_below(Word key) { return key - 1; }
};

template <int bytes, int exponent_bits, bool descending>
struct AlikeWords<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>, true> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  using Word = typename Base::Word;
  static constexpr Word infinity = Base::negative_infinity - Base::shift;  // ascending: the last word of a number
  BITUNE_DEVICE static Word last(Word key) { return descending && key == 0 ? (Base::mask ^ infinity) - 1 : key; }
  BITUNE_DEVICE static bool has_below(Word key) { return key != 0; }
  BITUNE_DEVICE static Word last_below(Word key) { return !descending && key == Base::mask ? infinity : key - 1; }
};

/// What passes a bound in a stretch of a row: words up to `limit`; where the bound's place is within the stretch, not all of them.
template <class Word>
struct StretchLimit {
  Word limit;
  bool passes;    ///< else nothing does
  bool straddles;
};

template <class Codec, class Order, class Form>
BITUNE_DEVICE StretchLimit<typename Codec::Word> limit_of(typename Form::Item bound, u64 begin, u64 end) {
  using Alike = AlikeWords<Codec, Order::reads_nans>;
  const typename Codec::Word key = Form::key(bound);
  const u64 place = Form::place(bound);
  if (begin > place) return {Alike::last_below(key), Alike::has_below(key), false};
  return {Alike::last(key), true, end > place + 1};
}

}  // namespace bitune
