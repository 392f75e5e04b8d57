#pragma once

/// \file
/// Sizes of what bin_cluster keeps in shared memory.

#include "kernels/network/network_layout.hpp"
#include "kernels/topk/alike_layout.hpp"
#include "kernels/topk/bound_narrowing_layout.hpp"

namespace bitune::layout {

/// Where the parts of a block's shared memory in bin_cluster begin, and how many bytes they are together. Candidates come first; the ends of
/// the block's keys lie there before.
struct BinCluster {
  Size of_row;     ///< RowBins
  Size of_alike;   ///< AlikeCandidates
  Size ends;       ///< of each block: two words
  Size narrowing;  ///< bins of the block, and of all
  Size bound;
  Size count;  ///< a number
  Size sums;   ///< GroupPrefixSum's
  Size bytes;
};

constexpr BinCluster bin_cluster(Size threads, Size ranks, Size capacity, Size item_bytes, Size word_bytes) {
  const Size of_row = rounded_up(padded_bytes(capacity, item_bytes), 16);
  const Size of_alike = of_row + row_bins(threads, item_bytes).bytes;
  const Size ends = of_alike + alike_candidates(threads, capacity, word_bytes).bytes;
  const Size narrowing = rounded_up(ends + 2 * ranks * word_bytes, 16);
  const Size bound = narrowing + 2 * narrowing_bins() * 4;
  const Size count = bound + counted_bound_bytes();
  const Size sums = count + 16;
  return {of_row, of_alike, ends, narrowing, bound, count, sums, rounded_up(sums + 4 * prefix_sum_words(threads), 16)};
}

}  // namespace bitune::layout
