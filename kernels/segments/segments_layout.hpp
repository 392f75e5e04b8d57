#pragma once

/// \file
/// Lists of segments in the workspace (segments.cuh): what a plan sets aside for them. Sizes follow from the class of the problem: from
/// the most segments and keys that it stands for. Exact numbers, and what is in the lists, only the device knows.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// A number of segments, keys or tiles of a call.
using Count = unsigned long long;

/// The most lists of segments that a block sorts.
constexpr Size most_block_lists() { return 8; }

/// u32 that are cleared before segments are listed: ListCounters.
constexpr Size list_counter_words() { return 4 + most_block_lists(); }

/// Bytes of a ListedSegment and a LongSegment.
constexpr Size listed_segment_bytes() { return 16; }
constexpr Size long_segment_bytes() { return 24; }

/// How many of `segments` segments, with `keys` keys in all, have at least `least` keys: at most.
constexpr Count most_segments(Count segments, Count keys, Count least) {
  return segments < keys / least ? segments : keys / least;
}

/// Tiles of so many keys that segments of so many keys in all have at most, of which `listed` have a last one that is not full.
constexpr Count most_tiles(Count listed, Count keys, Count tile_keys) { return keys / tile_keys + listed; }

}  // namespace bitune::layout
