#pragma once

// Segments: where they lie, and lists of those that are sorted by a launch of their own.
//
// Offsets may be wrong: they may decrease, or lie behind the keys. They are read by segment_of alone, which keeps each segment within
// the keys. So nothing else is ever touched. But segments may overlap then, and be sorted by several blocks at once. What becomes of
// their keys is not said. Who writes a key to a place that was counted before must see that it is a place of the segment.

#include "kernels/platform/platform.cuh"
#include "kernels/segments/segments_layout.hpp"

namespace bitune {

/// Keys [begin, begin + length) of the call. A list of segments that blocks sort has these.
struct Segment {
  u64 begin;
  u64 length;
};
static_assert(sizeof(Segment) == layout::listed_segment_bytes());

/// How many keys a segment has from its place `first` on, of one that a block holds.
BITUNE_DEVICE u32 keys_from(Segment segment, u32 first) {
  const u32 length = static_cast<u32>(segment.length);
  return first < length ? length - first : 0;
}

/// The offsets of a call: unsigned integers of `width` bytes, 4 or 8. (A negative one is a very large one.)
struct SegmentOffsets {
  const u8* begins;
  const u8* ends;  ///< null: each segment ends where the next one begins
  u64 width;
  u64 keys;  ///< of the call

  BITUNE_DEVICE u64 read(const u8* numbers, u64 index) const {
    return width == 4 ? reinterpret_cast<const u32*>(numbers)[index] : reinterpret_cast<const u64*>(numbers)[index];
  }

  /// Segment i, cut to what the keys have of it.
  BITUNE_DEVICE Segment segment_of(u64 i) const {
    const u64 given_begin = read(begins, i);
    const u64 given_end = ends == nullptr ? read(begins, i + 1) : read(ends, i);
    const u64 begin = given_begin < keys ? given_begin : keys;
    const u64 end = given_end < keys ? given_end : keys;
    return {begin, begin < end ? end - begin : 0};
  }
};

/// How many segments are listed, and what of the work on long ones is taken and done (long_sort.cuh). Cleared before the first is listed
/// (layout::list_counter_words).
struct ListCounters {
  u64 long_keys;                             ///< of all that were to be listed as long
  u64 long_segments;                         ///< << 32, and the tiles of these segments in the lower half
  u64 taken_shares;                          ///< of buckets: beside the first of each block (short_segments.cuh)
  u32 of_block[layout::most_block_lists()];  ///< may be more than a list has room for
  u32 taken;                                 ///< parts of the work, of all phases
  u32 done[layout::phases_before_turns() + layout::most_long_turns() - 1];  ///< parts of each phase that another one waits for
};
static_assert(sizeof(ListCounters) == 4 * layout::list_counter_words());

/// A segment that no block sorts alone, and how many tiles those listed before it have.
struct LongSegment {
  u64 begin;
  u64 length;
  u64 first_tile;
};
static_assert(sizeof(LongSegment) == layout::long_segment_bytes());

/// The list of long segments, in no particular order. Segments that overlap are left out once they have more keys than the call has.
/// So all that is listed has at most so many, and the list and all tables by tile are large enough for any offsets.
struct LongSegments {
  LongSegment* listed;  ///< layout::most_segments of the least length of a long one
  ListCounters* counters;
  u64 keys;  ///< of the call

  BITUNE_DEVICE void append(Segment segment, u32 tile_keys) const {
    if (atomic_add(&counters->long_keys, segment.length) > keys - segment.length) return;
    const u64 tiles = (segment.length + tile_keys - 1) / tile_keys;
    const u64 before = atomic_add(&counters->long_segments, u64{1} << 32 | tiles);
    listed[before >> 32] = {segment.begin, segment.length, before & 0xffffffff};
  }

  /// In a launch behind the one that listed them.
  BITUNE_DEVICE u32 count() const { return static_cast<u32>(counters->long_segments >> 32); }
  BITUNE_DEVICE u32 tiles() const { return static_cast<u32>(counters->long_segments); }
};

}  // namespace bitune
