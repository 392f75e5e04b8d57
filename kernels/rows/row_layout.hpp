#pragma once

/// \file
/// Sizes of what the kernels on rows keep in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Bytes of a row in place_row_sort: the tile of its items, where threads pass each other items through shared memory, and then its values.
constexpr Size place_row_bytes(Size keys, Size item_bytes, Size value_bytes, bool has_tile) {
  const Size tile = has_tile ? padded_bytes(keys, item_bytes) : 0;
  return rounded_up(tile > keys * value_bytes ? tile : keys * value_bytes, 16);
}

}  // namespace bitune::layout
