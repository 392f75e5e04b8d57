#pragma once

// Classes of length: which segments share a tile of lanes (lane_tile.cuh), and which list has those that no warp sorts.

#include "kernels/network/meta.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Tiles of a lane, the largest first: how many items they have. The first two are those of segments with several lanes, too. most_items: a
/// power of two, which has three quarters of it behind it, and so on; or a number of `of_threes`, for three_way.cuh.
template <int most_items>
struct LaneTiles {
  static_assert(is_power_of_two(most_items) || most_items == 27 || most_items == 18);
  static constexpr int first_of_threes = most_items == 27 ? 0 : 1;
  static constexpr bool by_threes = !is_power_of_two(most_items);
  static constexpr int count = by_threes ? 8 - first_of_threes : 2 * log2_of(most_items) - 1;
  BITUNE_DEVICE static constexpr int items(int tile) {
    constexpr int of_threes[] = {27, 18, 12, 9, 6, 4, 3, 2};
    return by_threes ? of_threes[first_of_threes + tile] : (tile % 2 == 0 ? most_items : most_items / 4 * 3) >> (tile / 2);
  }
  /// The same of a number that the compiler does not know: `tile`, which is first_tile or behind it.
  template <int first_tile = 0>
  BITUNE_DEVICE static u32 items_of(u32 tile) {
    constexpr int own = items(first_tile);
    if constexpr (first_tile + 1 < count) return tile > first_tile ? items_of<first_tile + 1>(tile) : own;
    return own;
  }
};

/// Classes in a block's order: short segments first, the longest of them in front; then the lists. A class is one of 32 places. There are two
/// for each number of lanes, and one for each tile of a lane. So they come in pairs: the odd one has the shorter segments.
template <int most_items, int lists, int octaves>
struct LengthClasses {
  using Tiles = LaneTiles<most_items>;
  static constexpr u32 longest = most_items * warp_size;
  static constexpr u32 listed_bits = log2_of(longest);  ///< lists begin behind the power of two that is no longer (layout::BlockLists)
  static constexpr u32 most_lane_bits = log2_of(warp_size);
  static constexpr u32 of_several_lanes = 2 * most_lane_bits;
  static constexpr u32 of_warps = of_several_lanes + Tiles::count;
  static constexpr u32 none = warp_size - 1;  ///< what no warp sorts, and no list has
  static_assert(of_warps + lists <= none);

  /// How many bits the number has.
  BITUNE_DEVICE static u32 bits_of_number(u64 number) { return 64 - leading_zeros(number); }

  /// Of a segment of `length` keys.
  BITUNE_DEVICE static u32 of(u64 length) {
    if (length < 2) return none;
    if (length <= longest) {
      const u32 keys = static_cast<u32>(length);
      const u32 bits = bits_of_number((keys - 1) / most_items);  // most_items << (bits - 1) < length <= most_items << bits
      if (bits != 0) return 2 * (most_lane_bits - bits) + (keys <= u32{Tiles::items(1)} << bits ? 1 : 0);
      u32 of_lane = of_several_lanes;
      BITUNE_UNROLL
      for (int tile = 1; tile < Tiles::count; ++tile) of_lane += keys <= Tiles::items(tile) ? 1 : 0;
      return of_lane;
    }
    const u32 list = (bits_of_number(length - 1) - listed_bits - 1) / octaves;
    return list < lists ? of_warps + list : none;
  }

  /// Bits of the number of lanes that hold a segment; and which of Tiles each of them has.
  BITUNE_DEVICE static constexpr u32 lane_bits(u32 of_class) { return of_class < of_several_lanes ? most_lane_bits - of_class / 2 : 0; }
  BITUNE_DEVICE static constexpr u32 tile(u32 of_class) { return of_class < of_several_lanes ? of_class % 2 : of_class - of_several_lanes; }
  /// Whether it has the shorter segments of a pair.
  BITUNE_DEVICE static constexpr bool is_shorter(u32 of_class) { return of_class % 2 != 0; }
};

}  // namespace bitune
