#pragma once

/// \file
/// Sizes of what splits a rank's keys by where they go.

#include "kernels/network/network_layout.hpp"
#include "kernels/radix/radix_layout.hpp"

namespace bitune::layout {

/// Parts that keys are split into at most.
constexpr Size most_split_parts() { return 8; }

/// Classes of a split into so many parts: the keys that surely are of each part, and between two parts those near the cut.
constexpr Size split_classes(Size parts) { return 2 * parts - 1; }

/// Keys of a tile: an odd number of each thread, so that its keys are in banks of their own.
constexpr Size split_threads() { return 256; }
constexpr Size split_items() { return 15; }
constexpr Size split_tile() { return split_threads() * split_items(); }

/// Launches that split a rank's keys. What is split already is sent away while the next one goes on: the first one is short, so that this begins
/// soon, and the last one is not long, as what comes last is sorted after it has come.
constexpr Size split_launches() { return 4; }

/// The first tile of a launch, or the end of the one before: 0, 1, 3, 6 and 8 eighths of all.
template <class Index>
constexpr Index split_launch_begin(Index tiles, Index launch) {
  return launch == Index{split_launches()} ? tiles : tiles * (launch * (launch + 1) / 2) / 8;
}

/// Whether a class is of the keys near a cut. These of all launches are one array, as they are few. Other classes of each launch are one behind the
/// other.
template <class Index>
constexpr bool is_at_cut(Index number) {
  return number % 2 == 1;
}

/// u32 in shared memory while the digits of each class are counted: so many copies of each counter.
constexpr Size count_classes_words(Size parts, Size key_bits, Size digit_bits, Size copies) {
  return split_classes(parts) * count_digits_words(key_bits, digit_bits, copies);
}

/// Shared memory of a block that splits a tile: u16 of each warp and class, how many items it has, and behind these:
struct SplitTileParts {
  Size sources;      ///< u16 of each item in the order of classes: where it was in its warp
  Size keys;
  Size bytes;
};
constexpr SplitTileParts split_tile_parts(Size key_bytes, Size parts) {
  const Size sources = 2 * warps_of(split_threads()) * split_classes(parts);
  const Size keys = rounded_up(sources + 2 * split_tile(), 16);
  return {sources, keys, keys + key_bytes * split_tile()};
}

}  // namespace bitune::layout
