#pragma once

/// \file
/// Sizes of what digit_rows keeps in shared memory.

#include "kernels/radix/digit_row_layout.hpp"
#include "kernels/topk/bound_narrowing_layout.hpp"

namespace bitune::layout {

/// Where the parts of a block's shared memory in digit_rows begin, and how many bytes they are together. DigitRow's come first. The ends of the
/// keys lie there before. So do the bins, where digits are counted afterwards.
struct DigitRows {
  DigitRowParts of_digits;
  Size bound;
  Size bytes;
};

constexpr DigitRows digit_rows(Size threads, Size candidates, Size digit_bits, Size word_bytes) {
  const DigitRowParts of_digits = digit_row_parts(threads, candidates, digit_bits, word_bytes, 0);
  const Size bound = rounded_up(of_digits.bytes, 16);
  return {of_digits, bound, bound + counted_bound_bytes()};
}

}  // namespace bitune::layout
