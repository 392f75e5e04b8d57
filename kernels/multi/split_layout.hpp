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

/// A Split in u64: a word and an index for each bound, and for each class where its items begin and how many there are.
struct SplitWords {
  Size begins;
  Size counts;
  Size all;
};
constexpr SplitWords split_words() {
  constexpr Size most = split_classes(most_split_parts());
  return {2 * (most - 1), 2 * (most - 1) + most + 1, 2 * (most - 1) + 2 * (most + 1)};
}

/// Items by which the room of a class is rounded up, so that its array begins at a whole line.
constexpr Size split_class_items() { return 64; }

/// How many samples more than it has a class may turn out to need, beside some for each square root of them.
constexpr Size spare_samples() { return 8; }
constexpr Size spare_samples_of_root() { return 5; }

/// Shared memory of a block that splits a tile.
struct SplitTileParts {
  Size bounds;    ///< a word and an index each
  Size targets;   ///< of each class, from a place in the tile to its place in the array
  Size ends;      ///< of each class's room
  Size starts;    ///< of each class in the tile
  Size counters;  ///< of warps
  Size ticket;
  Size bytes;
};
constexpr SplitTileParts split_tile_parts(Size threads, Size items, Size slot_bytes, Size parts) {
  const Size values = Size{1} << split_class_bits(parts);
  const Size bounds = threads * items * slot_bytes;
  const Size targets = bounds + 16 * values;
  const Size ends = targets + 8 * values;
  const Size starts = ends + 8 * values;
  const Size counters = starts + 4 * values;
  const Size ticket = counters + 2 * warps_of(threads) * values;
  return {bounds, targets, ends, starts, counters, ticket, ticket + 4};
}

}  // namespace bitune::layout
