#pragma once

// Keys compared with a limit as the floating-point numbers that they are.

#include "kernels/network/codec.cuh"
#include "kernels/platform/doubles.cuh"

namespace bitune {

/// Keys up to a limit, compared by their words.
template <class Codec>
struct WordLimit {
  typename Codec::Word limit;

  BITUNE_DEVICE bool passes(typename Codec::Raw raw) const { return Codec::encode(raw) <= limit; }
};

/// The same, compared as the numbers that keys are. That takes one instruction, where a word takes three to make.
template <class Codec>
struct NumberLimit {
  static constexpr bool exists = false;
};

template <int bytes, int exponent_bits, bool descending>
  requires(exponent_bits == 8 || exponent_bits == 11)
struct NumberLimit<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  using Raw = typename Base::Raw;
  static constexpr bool exists = true;
  static constexpr bool is_descending = descending;

  Raw limit;

  BITUNE_DEVICE explicit NumberLimit(typename Base::Word word) : limit(Base::decode(word)) {}

  BITUNE_DEVICE static auto number_of(Raw raw) {
    if constexpr (bytes == 8) {
      return double_of(raw);
    } else {
      return float_of(u32{raw} << (32 - 8 * bytes));
    }
  }

  /// Whether keys compare as their words do: NaNs do not, nor does the zero that comes first of both.
  BITUNE_DEVICE bool is_exact() const {
    return number_of(limit) == number_of(limit) && limit != (descending ? Raw{0} : static_cast<Raw>(Base::sign));
  }

  BITUNE_DEVICE bool passes(Raw raw) const {
    return descending ? !(number_of(raw) < number_of(limit)) : number_of(raw) <= number_of(limit);
  }
};

}  // namespace bitune
