#pragma once

/// \file
/// Sizes of what the kernels that merge keep in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Bytes of a tile of items that are merged, with an item of padding after every 16.
constexpr Size merge_tile_bytes(Size items, Size item_bytes) { return (items + items / 16) * item_bytes; }

}  // namespace bitune::layout
