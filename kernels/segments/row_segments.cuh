#pragma once

// Rows told as segments: one behind the other, all of one length.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Writes where each of `rows` rows of n keys begins, and behind these where the last one ends; and the place of each key in its row, where
/// indices are made. Blocks of nt threads, `row_blocks` for each row.
template <class Index, bool makes_indices, int nt>
BITUNE_KERNEL(nt, 1) row_segments(u64* offsets, Index* indices, u64 rows, u64 n, u32 row_blocks) {
  // The plan's first launch.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 row = block_index() / row_blocks;
  const u32 part = block_index() % row_blocks;
  if (part == 0 && thread_index() == 0) {
    offsets[row] = row * n;
    if (row + 1 == rows) offsets[rows] = rows * n;
  }
  if constexpr (!makes_indices) return;
  for (u64 i = u64{part} * nt + thread_index(); i < n; i += u64{row_blocks} * nt) indices[row * n + i] = static_cast<Index>(i);
}

}  // namespace bitune
