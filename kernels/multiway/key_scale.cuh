#pragma once

// How far keys are apart: as words, or as the numbers that they stand for. Words of floating-point keys are about as far apart as their
// logarithms: almost half of all words of 32 bits lie between -0.001 and 0.001. Where keys lie on both sides of 0, distances between
// numbers tell more; where they have all exponents, those between words do.

#include "kernels/network/codec.cuh"
#include "kernels/platform/doubles.cuh"

namespace bitune {

/// The numbers that words of a codec stand for. Words of integers are as far apart as these are, and need none.
template <class Codec>
struct KeyNumbers {
  static constexpr bool exist = false;
};

/// of: a number that grows with the word. at: the word of a number. Of keys of 16 bits many are equal before distances between them matter.
template <int bytes, int exponent_bits, bool descending>
struct KeyNumbers<Codec<bytes, KeyClass::floating_point, exponent_bits, descending>> {
  using Base = Codec<bytes, KeyClass::floating_point, exponent_bits, descending>;
  using Word = typename Base::Word;
  static constexpr bool exist = bytes >= 4;

  BITUNE_DEVICE static auto of(Word word) {
    const auto number = number_of(Base::decode(word));
    return descending ? -number : number;
  }

  template <class Number>
  BITUNE_DEVICE static Word at(Number number) {
    return Base::encode(bits_of_number(descending ? -number : number));
  }

 private:
  BITUNE_DEVICE static float number_of(u32 bits) { return float_of(bits); }
  BITUNE_DEVICE static double number_of(u64 bits) { return double_of(bits); }
  BITUNE_DEVICE static u32 bits_of_number(float number) { return bits_of(number); }
  BITUNE_DEVICE static u64 bits_of_number(double number) { return double_bits(number); }
};

/// How distances are measured: between words at first.
template <class Word, class Numbers>
struct KeyScale {
  /// Of words: squares of differences of 64 bits would be more than a float can hold.
  static constexpr float unit = sizeof(Word) == 8 ? 4294967296.0f : 1.0f;

  bool of_numbers = false;
  bool is_settled = false;
  float of_words;  ///< how uneven these are

  /// Whether to measure anew, with the other scale. Uneven words give way to numbers. These stay if they are much more even.
  BITUNE_DEVICE bool should_change(float unevenness) {
    if (is_settled) return false;
    const bool is_even = of_numbers ? 2 * unevenness < of_words : unevenness < 0;
    is_settled = is_even || of_numbers;
    of_words = unevenness;
    if (!is_even) of_numbers = !of_numbers;
    return !is_even;
  }

  /// Of two words from an origin. Both are loaded before the scale is asked for.
  BITUNE_DEVICE void offsets_from(Word origin, Word before, Word after, float& to_before, float& to_after) const {
    if constexpr (Numbers::exist) {
      if (of_numbers) {
        to_before = static_cast<float>(Numbers::of(before) - Numbers::of(origin));
        to_after = static_cast<float>(Numbers::of(after) - Numbers::of(origin));
        return;
      }
    }
    to_before = words_from(origin, before);
    to_after = words_from(origin, after);
  }

  /// A word from the origin on; what is beyond all words, or the least of them, is the nearest of the others.
  BITUNE_DEVICE Word word_at(Word origin, float offset) const {
    if constexpr (Numbers::exist) {
      if (of_numbers) return maximum<Word>(Numbers::at(Numbers::of(origin) + offset), 1);
    }
    const float size = (offset < 0 ? -offset : offset) * unit;
    const Word distance = static_cast<Word>(minimum(size, 0.9999f * static_cast<float>(~Word{0})));
    const Word below = origin > distance ? origin - distance : 0;
    const Word above = ~Word{0} - origin > distance ? origin + distance : ~Word{0};
    return maximum<Word>(offset < 0 ? below : above, 1);
  }

  /// How far behind `least`, in words, the share `part` of the way to `greatest` lies. range: from the one to the other, in words.
  BITUNE_DEVICE Word way(Word least, Word greatest, float range, float part) const {
    if constexpr (Numbers::exist) {
      if (of_numbers) {
        const Word word = minimum(Numbers::at(Numbers::of(least) + (Numbers::of(greatest) - Numbers::of(least)) * part), greatest);
        return word > least ? word - least : 0;
      }
    }
    return static_cast<Word>(range * part);
  }

 private:
  BITUNE_DEVICE static float words_from(Word origin, Word word) {
    const float size = static_cast<float>(word < origin ? origin - word : word - origin) / unit;
    return word < origin ? -size : size;
  }
};

}  // namespace bitune
