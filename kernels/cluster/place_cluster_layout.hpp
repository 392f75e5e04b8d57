#pragma once

/// \file
/// Sizes of what the blocks of a cluster keep in shared memory that sort keys with their places (place_cluster_sort).

#include "kernels/cluster/cluster_layout.hpp"

namespace bitune::layout {

/// The tile of a block, or what blocks send each other; and behind it the values of the whole row, where there are any.
struct PlaceClusterParts {
  Size values;  ///< where they begin
  Size bytes;
};

/// Whether each block copies the row's values while keys are sorted: where blocks send each other items, for one array's sake, and values
/// have at most 64 KiB.
constexpr bool copies_cluster_values(Size keys, Size value_bytes, bool sending) { return sending && value_bytes != 0 && keys * value_bytes <= 0x10000; }

constexpr PlaceClusterParts place_cluster_parts(Size threads, Size items, Size ranks, Size item_bytes, Size value_bytes, bool sending) {
  const Size tile = sending ? sending_cluster_bytes(threads, items, ranks, item_bytes) : padded_bytes(threads * items, item_bytes);
  const Size keys = threads * items * ranks;
  if (!copies_cluster_values(keys, value_bytes, sending)) return {tile, tile};
  const Size values = rounded_up(tile, 16);
  return {values, values + keys * value_bytes};
}

}  // namespace bitune::layout
