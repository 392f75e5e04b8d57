#pragma once

// Counting sort, for keys so short that each of their values can have a counter: what the kernels of the counting variant share.
//
// Nothing travels with a key. So keys need not be moved: they are counted, and written anew. There is a counter for each value, in the
// order of the encoded words. Neighbouring values make bins, which have counters of their own. With these a block that writes a part of
// the result finds its first value without reading all counters.

#include "kernels/counting/counting_layout.hpp"
#include "kernels/network/codec.cuh"

namespace bitune {

/// The counters of keys of `bits` bits: of each value, then of each bin.
template <int bits>
struct ValueCounts {
  static constexpr u32 values = layout::counted_values(bits);
  static constexpr u32 values_of_bin = layout::values_of_bin();  ///< values
  static constexpr u32 bins = layout::counted_bins(bits);

  u32* counts;  // aligned to 8 bytes

  BITUNE_DEVICE u32* value(u32 word) const { return counts + word; }
  BITUNE_DEVICE u32* bin(u32 index) const { return counts + values + index; }
};

}  // namespace bitune
