#pragma once

/// \file
/// Sizes of what puts candidates in order that lie close together (alike_candidates.cuh).

#include "kernels/topk/bins_layout.hpp"

namespace bitune::layout {

/// Where the parts of a block's shared memory begin, behind a word of each bin, and how many bytes all are together.
struct AlikeCandidates {
  Size met;    ///< a number for each bin
  Size parts;  ///< a number for each candidate that there is room for
  Size bytes;
};

constexpr AlikeCandidates alike_candidates(Size threads, Size capacity, Size word_bytes) {
  const Size bins = threads * bins_of_thread();
  const Size met = rounded_up(bins * word_bytes, 16);
  const Size parts = met + 4 * bins;
  return {met, parts, rounded_up(parts + 4 * capacity, 16)};
}

}  // namespace bitune::layout
