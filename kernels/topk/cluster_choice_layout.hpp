#pragma once

/// \file
/// Sizes of what a cluster of blocks, or a block, keeps in shared memory as it chooses the first k keys of a row.

#include "kernels/topk/bound_narrowing_layout.hpp"

namespace bitune::layout {

/// Where the parts of a block's shared memory begin where a cluster chooses from a row, and how many bytes they are together. Candidates come
/// first. The minima of the block's threads lie there before, unless the block stays: then other blocks choose from the next row while it still
/// puts candidates in order.
struct ClusterChoice {
  Size of_threads;  ///< minima of the block's threads
  Size minima;      ///< of all blocks
  Size ranked;      ///< the same in order
  Size bins;
  Size bound;
  Size count;  ///< a number
  Size bytes;
};

constexpr ClusterChoice cluster_choice(Size threads, Size groups, Size capacity, Size item_bytes, Size word_bytes,
                                       bool stays = false) {
  const Size candidates = padded_bytes(capacity, item_bytes);
  const Size of_threads = stays ? rounded_up(candidates, 16) : 0;
  const Size words = of_threads + threads * word_bytes;
  const Size minima = rounded_up(candidates > words ? candidates : words, 16);
  const Size ranked = rounded_up(minima + groups * word_bytes, 16);
  const Size bins = rounded_up(ranked + groups * word_bytes, 16);
  const Size bound = bins + 2 * narrowing_bins() * 4;  // of the block, and of all
  const Size count = bound + counted_bound_bytes();
  return {of_threads, minima, ranked, bins, bound, count, count + 16};
}

}  // namespace bitune::layout
