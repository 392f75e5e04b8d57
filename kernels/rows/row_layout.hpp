#pragma once

/// \file
/// Sizes of what the kernels on rows keep in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// A row in place_row_sort: the tile of its items, where threads pass each other items through shared memory, and its values.
struct PlaceRow {
  Size values;  ///< where they begin
  Size bytes;
};

/// early_values: values lie behind the tile; else where the tile was.
constexpr PlaceRow place_row(Size keys, Size item_bytes, Size value_bytes, bool has_tile, bool early_values) {
  const Size tile = has_tile ? rounded_up(padded_bytes(keys, item_bytes), 16) : 0;
  const Size begin = early_values ? tile : 0;
  const Size end = begin + rounded_up(keys * value_bytes, 16);
  return {begin, end > tile ? end : tile};
}

}  // namespace bitune::layout
