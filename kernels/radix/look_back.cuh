#pragma once

// Sums over all blocks before this one, while they run: "decoupled look-back" (D. Merrill, M. Garland, Single-pass Parallel Prefix Scan,
// 2016). A block publishes its own sum as soon as it has it. When it knows the sum of all blocks before it, too, it publishes the sum
// that includes these. A block that needs the sum before it walks back over own sums, until it meets one that includes all before it.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// What blocks publish for each of `columns` independent sums: 0 stands for nothing yet. Blocks are numbered in the order in which they
/// begin, so that all blocks before a running one run, too, or are done.
template <class Counter, u32 columns, int loads>
struct LookBack {
  static constexpr Counter own = Counter{1} << (8 * sizeof(Counter) - 2);        ///< what the block adds up to itself
  static constexpr Counter inclusive = Counter{1} << (8 * sizeof(Counter) - 1);  ///< with all before it
  static constexpr Counter value = own - 1;

  Counter* states;  ///< [blocks][columns]

  BITUNE_DEVICE Counter* place(u32 block, u32 column) const { return states + (u64{block} * columns + column); }
  BITUNE_DEVICE void publish_own(u32 block, u32 column, Counter sum) const { publish(place(block, column), own | sum); }
  BITUNE_DEVICE void publish_inclusive(u32 block, u32 column, Counter sum) const { publish(place(block, column), inclusive | sum); }

  /// The sum of all blocks before `block`. It is not for the first block, whose own sum includes all. `loads` loads are under way at once.
  BITUNE_DEVICE Counter before(u32 block, u32 column) const {
    for (Counter sum = 0;;) {
      Counter found[loads];
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) found[l] = block > l ? published(place(block - 1 - l, column)) : Counter{0};
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) {
        if (found[l] == 0) break;
        sum += found[l] & value;
        if ((found[l] & inclusive) != 0) return sum;
        --block;
      }
    }
  }
};

}  // namespace bitune
