#pragma once

// What a list of segments that blocks sort has of each.

#include "kernels/segments/segments.cuh"

namespace bitune {

/// A segment's place, and in the highest bit of `begin` whether it is a bucket (bucket_bounds.cuh).
struct ListedSegment {
  u64 begin;
  u64 length;

  BITUNE_DEVICE static ListedSegment of(Segment segment, bool is_bucket) {
    return {segment.begin | u64{is_bucket} << 63, segment.length};
  }
  BITUNE_DEVICE bool is_bucket() const { return begin >> 63 != 0; }
  BITUNE_DEVICE Segment segment() const { return {begin & ~(u64{1} << 63), length}; }
};
static_assert(sizeof(ListedSegment) == layout::listed_segment_bytes());

}  // namespace bitune
