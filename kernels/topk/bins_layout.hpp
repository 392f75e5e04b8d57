#pragma once

/// \file
/// Sizes of what puts candidates in order by bins (binned_candidates.cuh).

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Bins of candidates for each thread of a block, which reads them as one vector.
constexpr int bins_of_thread() { return 4; }

/// Candidates of a bin that are put in order by comparing each with all others, where nobody counts what that takes.
constexpr Size compared_in_bin() { return 32; }

/// Most comparisons of a thread in bins that have more. A network of all candidates takes longer than so many.
constexpr Size most_comparisons() { return 1536; }

/// The same where such bins can be cut once more (alike_candidates.cuh).
constexpr Size most_comparisons_in_bins() { return 128; }

/// Where the parts of a block's shared memory for bins begin, behind the bins and their end, and how many bytes all are together.
struct RowBins {
  Size ends;  ///< two items of each warp
  Size kept;  ///< two numbers
  Size bytes;
};

constexpr RowBins row_bins(Size threads, Size item_bytes) {
  const Size ends = 4 * bins_of_thread() * threads + 16;
  const Size kept = ends + 2 * warps_of(threads) * item_bytes;
  return {ends, kept, rounded_up(kept + 8, 16)};
}

}  // namespace bitune::layout
