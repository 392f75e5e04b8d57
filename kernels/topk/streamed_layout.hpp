#pragma once

/// \file
/// Sizes of what chooses the first k keys of rows that stream through shared memory (stream_rows.cuh).

#include "kernels/topk/bins_layout.hpp"
#include "kernels/topk/topk_layout.hpp"

namespace bitune::layout {

/// Where the parts of a block's shared memory in stream_rows begin, behind those of filtered_row, and how many bytes all are together.
struct StreamedRow {
  Size bins;
  Size bounds;  ///< two items
  Size minima;  ///< of a row's sample
  Size ring;
  Size bytes;
};

/// vectors: of 16 bytes that each thread has under way. groups: of a row's samples.
constexpr StreamedRow streamed_row(Size threads, Size vectors, Size groups, Size capacity, Size item_bytes, Size word_bytes) {
  const Size bins = filtered_row(threads, threads, capacity, item_bytes).bytes;
  const Size bounds = bins + row_bins(threads, item_bytes).bytes;
  const Size minima = rounded_up(bounds + 2 * item_bytes, 16);
  const Size ring = rounded_up(minima + groups * (word_bytes + 4), 16);
  return {bins, bounds, minima, ring, ring + 16 * threads * vectors};
}

}  // namespace bitune::layout
