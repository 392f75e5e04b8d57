#pragma once

// What kernels share that hold rows of keys with their places in registers: where the arrays of a call are, and how places move.

#include "kernels/rows/row_sort.cuh"

namespace bitune {

/// What RowTile asks of a codec to move places between registers and lanes.
struct PlacePlane {
  using Raw = u32;
  using Word = u32;
};

/// Where an array of the call is: row i begins `stride` elements behind row i - 1.
template <class T>
struct RowsOf {
  T* data;
  u64 stride;

  BITUNE_DEVICE T* row(u64 index) const { return data + index * stride; }

  /// Whether all rows begin and end at whole vectors of `width` elements.
  BITUNE_DEVICE bool in_vectors(u32 width, u32 length) const {
    return (reinterpret_cast<u64>(data) | stride * sizeof(T) | length * sizeof(T)) % (width * sizeof(T)) == 0;
  }
};

}  // namespace bitune
