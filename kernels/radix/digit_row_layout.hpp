#pragma once

/// \file
/// What a block of the variant rows_by_digits keeps in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Words of a row: one of padding behind every 32, so that evenly spaced keys do not meet in a bank.
constexpr Size digit_row_words(Size items) { return items + items / 32; }

/// Where the parts of DigitRow begin, and how many bytes they are together. Values come last, where words and places were.
struct DigitRowParts {
  Size places;
  Size ranks;
  Size scratch;
  Size bytes;
};

constexpr DigitRowParts digit_row_parts(Size threads, Size items, Size digit_bits, Size word_bytes, Size value_bytes) {
  const Size words = digit_row_words(threads * items);
  const Size places = words * word_bytes;
  const Size ranks = rounded_up(places + words * 2, 16);
  const Size scratch = ranks + warps_of(threads) * (Size{1} << digit_bits) * 2;
  const Size end = scratch + 4 * prefix_sum_words(threads);
  const Size values = threads * items * value_bytes;
  return {places, ranks, scratch, end > values ? end : values};
}

}  // namespace bitune::layout
