#pragma once

// What a block does in its launch: when it begins, and which row it works on.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// What a kernel that may be launched as a dependent one begins with: its own launch costs no gap then, and the next one's neither.
/// In this order: when the next launch begins, all before this one is done.
BITUNE_DEVICE void begin_launch() {
  wait_for_previous_launch();
  allow_next_launch();
}

/// The other way round, for kernels that are never the last of a dependent plan (Launch::allows_next_early): when the next launch begins,
/// what came before the sort may still run.
BITUNE_DEVICE void begin_dependent_launch() {
  allow_next_launch();
  wait_for_previous_launch();
}

/// For kernels that may be the last of a plan, or come before: the plan says which (Launch::allows_next_early).
template <bool allows_next_early>
BITUNE_DEVICE void begin_launch_of_plan() {
  if constexpr (allows_next_early) {
    begin_dependent_launch();
  } else {
    begin_launch();
  }
}

/// For a launch that needs nothing of the one before it: it works beside that one, and waits for it at its end (Launch::beside_previous).
/// The one before has begun with begin_launch(), or is such a launch itself. So all that came before these is done when they begin, and
/// who waits for the last of them waits for all. Without beside_previous it is the first of them.
template <bool beside_previous, bool is_last>
BITUNE_DEVICE void begin_launch_beside() {
  if constexpr (!beside_previous) {
    begin_launch();
  } else if constexpr (!is_last) {
    allow_next_launch();
  }
}

/// What such a launch ends with.
template <bool beside_previous, bool is_last>
BITUNE_DEVICE void end_launch_beside() {
  if constexpr (beside_previous) {
    wait_for_previous_launch();
    if constexpr (is_last) allow_next_launch();
  }
}

/// Which row a block works on, and which of that row's blocks it is, where each row takes the same number of blocks.
struct RowOfBlock {
  u64 row;
  u32 block;

  BITUNE_DEVICE explicit RowOfBlock(u32 blocks_per_row) : row(0), block(block_index()) {
    if (blocks_per_row != block_count()) {  // more than one row: spare single arrays the division
      row = block_index() / blocks_per_row;
      block = block_index() % blocks_per_row;
    }
  }
};

}  // namespace bitune
