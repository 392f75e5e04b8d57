#pragma once

/// \file
/// Sizes of what splits a rank's keys by where they go.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Parts that keys are split into at most.
constexpr Size most_split_parts() { return 8; }

/// Classes of a split into so many parts: the keys that surely are of each part, and between two parts those near the cut.
constexpr Size split_classes(Size parts) { return 2 * parts - 1; }

/// Bits of the number of a class, or of what is behind all classes: there is always such a number.
constexpr Size split_class_bits(Size parts) {
  Size bits = 1;
  while ((Size{1} << bits) <= split_classes(parts)) ++bits;
  return bits;
}

/// A Split in u64: a word and an index for each bound; and from here on for each class where its items begin, and the end of the last one.
constexpr Size split_begins() { return 2 * (split_classes(most_split_parts()) - 1); }
constexpr Size split_words() { return split_begins() + split_classes(most_split_parts()) + 1; }

/// Launches that split a rank's keys, at most. What is split already is sent away while the next one goes on.
constexpr Size most_split_launches() { return 4; }

/// Items by which the room of a class is rounded up, so that its array begins at a whole line.
constexpr Size split_class_items() { return 64; }

/// How many samples more than it has a class may turn out to need, beside some for each square root of them.
constexpr Size spare_samples() { return 8; }
constexpr Size spare_samples_of_root() { return 5; }

/// Shared memory of a block that splits a tile. Where each warp's items of each class go is at its beginning.
struct SplitTileParts {
  Size words;           ///< of bounds
  Size first_of_equal;  ///< of bounds: from which item of the tile on a key that equals the bound's is not below it
  Size ticket;          ///< and whether a class has more items than room
  Size warp_counts;     ///< of each warp and class
  Size sources;         ///< of each item in the order of classes: where it was in its warp
  Size keys;
  Size bytes;
};
constexpr SplitTileParts split_tile_parts(Size threads, Size items, Size key_bytes, Size parts) {
  const Size values = Size{1} << split_class_bits(parts);
  const Size words = 8 * warps_of(threads) * values;
  const Size first_of_equal = words + 8 * values;
  const Size ticket = first_of_equal + 4 * values;
  const Size warp_counts = ticket + 8;
  const Size sources = warp_counts + 2 * warps_of(threads) * values;
  const Size keys = rounded_up(sources + 2 * threads * items, 16);
  return {words, first_of_equal, ticket, warp_counts, sources, keys, keys + key_bytes * threads * items};
}

}  // namespace bitune::layout
