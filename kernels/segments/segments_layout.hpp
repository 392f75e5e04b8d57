#pragma once

/// \file
/// Lists of segments in the workspace (segments.cuh): what a plan sets aside for them. Sizes follow from the class of the problem: from
/// the most segments and keys that it stands for. Exact numbers, and what is in the lists, only the device knows.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// A number of segments, keys or tiles of a call.
using Count = unsigned long long;

/// The most lists of segments that a block sorts.
constexpr int most_block_lists() { return 8; }

/// Turns over long segments at most: a pass for each digit of 4 bits.
constexpr Size most_long_turns() { return 16; }

/// What comes before the first of them: a table of tiles, and counting.
constexpr Size phases_before_turns() { return 2; }

/// u32 that are cleared before segments are listed: ListCounters.
constexpr Size list_counter_words() { return 6 + most_block_lists() + phases_before_turns() + most_long_turns(); }

/// Bytes before the count of a list's segments there.
constexpr Size block_count_offset(int list) { return 24 + 4 * list; }

/// Bytes of a Segment and a LongSegment.
constexpr Size listed_segment_bytes() { return 16; }
constexpr Size long_segment_bytes() { return 24; }

/// How many of `segments` segments, with `keys` keys in all, have at least `least` keys: at most.
constexpr Count most_segments(Count segments, Count keys, Count least) {
  return segments < keys / least ? segments : keys / least;
}

/// Tiles of so many keys that segments of so many keys in all have at most, of which `listed` have a last one that is not full.
constexpr Count most_tiles(Count listed, Count keys, Count tile_keys) { return keys / tile_keys + listed; }

/// The longest segments that are sorted as rows (equal_segments.cuh): what a warp holds, of 16 keys a thread. Longer ones of 64-bit keys
/// take more registers than blocks for short segments leave them.
constexpr int longest_equal_segment(Size word_bytes) { return word_bytes == 8 ? 32 : 512; }

/// Lists by length. Segments of up to `shortest` keys are in no list. Each list has those of up to 2^octaves times as many keys as the one
/// before it. What is longer than the last list's longest is a long segment.
struct BlockLists {
  Count segments;  ///< of the class of the problem
  Count keys;
  int shortest;
  int octaves;

  /// The longest segment of a list; of list -1, of none.
  constexpr Count longest(int list) const { return static_cast<Count>(shortest) << (octaves * (list + 1)); }
  constexpr Count room(int list) const { return most_segments(segments, keys, longest(list - 1) + 1); }
  /// Where the list begins, in segments.
  constexpr Count begin(int list) const {
    Count sum = 0;
    for (int i = 0; i < list; ++i) sum += room(i);
    return sum;
  }
};

/// What sorts a tile of so many items keeps in shared memory: the items, and behind them the values that go with them.
struct SegmentTileParts {
  Size values;
  Size bytes;
};
constexpr SegmentTileParts segment_tile_parts(Size items, Size item_bytes, Size value_bytes) {
  const Size values = rounded_up(padded_bytes(items, item_bytes), 16);
  return {values, values + rounded_up(items * value_bytes, 16)};
}

/// The same for a warp whose lanes exchange items: with a gap of up to 16 bytes behind each 128.
constexpr SegmentTileParts lane_tile_parts(Size items, Size item_bytes, Size value_bytes) {
  const Size values = rounded_up(items * item_bytes / 8 * 9, 16);
  return {values, values + rounded_up(items * value_bytes, 16)};
}

/// The same where lanes sort words of 32 bits with leading bits of keys: these words, the keys and the values. Keys and values of
/// neighbouring lanes are an odd number of places apart.
struct LeadingTileParts {
  Size keys;
  Size values;
  Size bytes;
};
constexpr LeadingTileParts leading_tile_parts(Size lane_items, Size key_bytes, Size value_bytes) {
  const Size places = 32 * (lane_items / 2 * 2 + 1);
  const Size keys = rounded_up(32 * lane_items * 4 / 8 * 9, 16);
  const Size values = keys + rounded_up(places * key_bytes, 16);
  return {keys, values, values + rounded_up(places * value_bytes, 16)};
}

/// Neighbouring keys that a block copies to shared memory, with their values and what indices are made of them.
struct CopiedParts {
  Size values;
  Size indices;
  Size bytes;
};

/// The copy of so many items begins as far from a multiple of 16 bytes as they do.
constexpr Size copied_bytes(Size items, Size item_bytes) { return items * item_bytes == 0 ? 0 : rounded_up(items * item_bytes, 16) + 16; }

constexpr CopiedParts copied_parts(Size keys, Size key_bytes, Size value_bytes, Size index_bytes) {
  const Size values = copied_bytes(keys, key_bytes);
  const Size indices = values + copied_bytes(keys, value_bytes);
  return {values, indices, indices + copied_bytes(keys, index_bytes)};
}

/// What a block that sorts short segments keeps in shared memory.
struct ShortSegmentParts {
  Size begins;   ///< u64 of each segment that it sorts
  Size lengths;  ///< u32 of each
  Size counts;   ///< three u32 of each of 32 classes of length
  Size warp;     ///< the tile of the first warp (lane_tile_parts), and behind it those of the others; or copies of all keys
  Size bytes;
};

/// segments: of a block. of_warp: lane_tile_parts. copies: bytes of CopiedParts.
constexpr ShortSegmentParts short_segment_parts(Size threads, Size segments, Size of_warp, Size copies) {
  const Size lengths = segments * 8;
  const Size counts = lengths + segments * 4;
  const Size warp = rounded_up(counts + 3 * 32 * 4, 16);
  const Size tiles = warps_of(threads) * of_warp;
  return {0, lengths, counts, warp, warp + (copies > tiles ? copies : tiles)};
}

}  // namespace bitune::layout
