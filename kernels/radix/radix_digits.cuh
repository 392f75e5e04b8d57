#pragma once

// Radix sort from the lowest digit on: what the kernels of the radix variant share. A digit is some neighbouring bits of an encoded word.
// Encoded words order as unsigned integers do, whatever the key type and the order. The last digit may have fewer bits.

#include "kernels/network/codec.cuh"
#include "kernels/radix/radix_layout.hpp"

namespace bitune {

/// The digits of words of `Codec`.
template <class Codec, int bits>
struct Digits {
  using Word = typename Codec::Word;
  static constexpr u32 values = layout::digit_values(bits);
  static constexpr u32 passes = layout::digit_passes(Codec::bits, bits);

  /// Bits of the word from the pass's digit on, and others above it.
  BITUNE_DEVICE static u32 from(Word word, u32 pass) { return static_cast<u32>(word >> (pass * bits)); }

  /// Padding has the largest digit of all in each pass.
  BITUNE_DEVICE static u32 of(Word word, u32 pass) { return from(word, pass) & (values - 1); }
};

}  // namespace bitune
