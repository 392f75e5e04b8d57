#pragma once

// Counting sort, of keys so short that each of their values can have a counter: what the kernels of the counting variant share.
//
// Nothing travels with a key, so keys need not be moved: they are counted, and written anew. A counter for each value, in the order of
// the encoded words; values of a group are neighbours, and the groups have counters of their own, so that a block which writes a part
// of the result finds its first value without reading all.

#include "kernels/counting/counting_layout.hpp"
#include "kernels/network/codec.cuh"

namespace bitune {

/// The counters of keys of `bits` bits: of each value, then of each group.
template <int bits>
struct ValueCounts {
  static constexpr u32 values = layout::counted_values(bits);
  static constexpr u32 of_group = layout::values_of_group();  ///< values
  static constexpr u32 groups = layout::counted_groups(bits);

  u32* counts;  // aligned to 8 bytes

  BITUNE_DEVICE u32* value(u32 word) const { return counts + word; }
  BITUNE_DEVICE u32* group(u32 index) const { return counts + values + index; }
};

}  // namespace bitune
