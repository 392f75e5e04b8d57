#pragma once

// The launch that reads the offsets. Each block takes some segments, one behind the other. It sorts those that fit the registers of a
// warp, and lists the longer ones for the launches behind it.
//
// The block orders its segments by class of length: up to 2, 3, 4, 6, 8, 12 ... keys. Each class has a tile (lane_tile.cuh) that is more
// than two thirds full. As many segments of a class as a warp has room for are a task of a warp; the last task of a class may take some of
// the next, which are shorter. The warps share out the tasks, longest segments first. So there is one launch for all short segments, and
// neighbours in memory are read and written at about the same time.
//
// Segments of a task lie apart, so that a load of a warp touches many lines. But all of a block's segments are neighbours, mostly. Where
// copied_keys hold them, and at least half of their keys are of short ones, the block copies all of them to shared memory and back.

#include "kernels/network/launch.cuh"
#include "kernels/network/meta.cuh"
#include "kernels/network/network_layout.hpp"
#include "kernels/segments/equal_segments.cuh"
#include "kernels/segments/lane_tasks.cuh"
#include "kernels/segments/leading_tasks.cuh"
#include "kernels/segments/length_classes.cuh"
#include "kernels/segments/listed_segment.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// The sum of the numbers of this lane and those before it.
BITUNE_DEVICE u32 sum_through_lane(u32 number) {
  BITUNE_UNROLL
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 before = shuffle(number, lane() - distance);  // modulo the warp's size
    if (lane() >= distance) number += before;
  }
  return number;
}

/// Sorts those of `segments` segments from `first_segment` on, of `count`, that have up to 32 * most_items keys. Longer ones are listed:
/// `lists` lists by length (layout::BlockLists), and those that are longer than these have. copied_keys: the most that are copied; 0: none.
/// equal_length: not 0 where all segments of the call may have so many keys. A block whose segments have sorts them as `Equal` does. All nt
/// threads of a block call it. Dynamic shared memory: layout::short_segment_parts.
template <class Traffic, class Equal, bool are_buckets, int nt, int segments, int most_items, int copied_keys, int lists, int octaves>
BITUNE_DEVICE void sort_short_segments(const Traffic& traffic, const SegmentOffsets& offsets, u64 first_segment, u64 count,
                                       ListCounters* counters, ListedSegment* listed, const LongSegments& longer, u64 class_segments,
                                       u64 class_keys, u32 long_tile_keys, u32 equal_length) {
  using Classes = LengthClasses<most_items, lists, octaves>;
  using Item = typename Traffic::Item;
  constexpr u32 of_thread = (segments + nt - 1) / nt;
  // Comparators of three have words of 32 bits alone.
  constexpr bool by_leading_bits = LaneTiles<most_items>::by_threes && !sorts_by_threes<Item>;
  static_assert(!by_leading_bits || copied_keys == 0);
  constexpr layout::CopiedParts of_copies = Traffic::copied_parts(copied_keys);
  constexpr layout::SegmentTileParts of_warp = layout::lane_tile_parts(warp_size * most_items, sizeof(Item), Traffic::value_bytes);
  constexpr layout::LeadingTileParts of_leading =
      layout::leading_tile_parts(most_items, sizeof(typename Traffic::Raw), Traffic::value_bytes);
  constexpr u32 tile_bytes = static_cast<u32>(by_leading_bits ? of_leading.bytes : of_warp.bytes);
  constexpr layout::ShortSegmentParts parts = layout::short_segment_parts(nt, segments, tile_bytes, of_copies.bytes);
  u8* const shared = shared_memory<u8>();
  u64* const begins = reinterpret_cast<u64*>(shared + parts.begins);
  u32* const lengths = reinterpret_cast<u32*>(shared + parts.lengths);
  u32* const counts = reinterpret_cast<u32*>(shared + parts.counts);
  u32* const places = counts + warp_size;  // where the block's begin in a list
  u32* const ends = places + warp_size;    // of the list

  for (u32 i = thread_index(); i < warp_size; i += nt) counts[i] = 0;
  Segment own[of_thread];
  u32 own_class[of_thread];
  u32 rank[of_thread];  // among the block's segments of the class
  BITUNE_UNROLL
  for (u32 j = 0; j < of_thread; ++j) {
    const u32 i = thread_index() + j * nt;
    const u64 index = first_segment + i;
    own[j] = {0, 0};
    if (i < segments && index < count) own[j] = offsets.segment_of(index);
    own_class[j] = Classes::of(own[j].length);
  }
  const bool may_be_rows = equal_length != 0 && equal_length <= Equal::longest;
  u32* const votes = places;  // of each warp: whether its segments are rows
  if (may_be_rows) {
    bool are_rows = true;
    BITUNE_UNROLL
    for (u32 j = 0; j < of_thread; ++j) {
      const u32 i = thread_index() + j * nt;
      const u64 index = first_segment + i;
      are_rows &= i >= segments || index >= count || (own[j].length == equal_length && own[j].begin == index * equal_length);
    }
    const bool all_are = all_of_warp(are_rows);
    if (lane() == 0) votes[warp_index()] = all_are ? 1 : 0;
  }
  sync_block();  // the first warp has cleared the counts
  if constexpr (Equal::longest != 0) {
    if (may_be_rows) {
      u32 rows = 1;
      BITUNE_UNROLL
      for (u32 warp = 0; warp < nt / warp_size; ++warp) rows &= votes[warp];
      if (rows != 0) {
        const u32 here = static_cast<u32>(minimum(u64{segments}, count - minimum(first_segment, count)));
        return Equal::sort(traffic.keys, traffic.input, first_segment * equal_length, equal_length, here);
      }
    }
  }
  BITUNE_UNROLL
  for (u32 j = 0; j < of_thread; ++j) {
    if (own[j].length > Classes::longest && own_class[j] == Classes::none) {
      longer.append(own[j], long_tile_keys);
    }
    const u32 alike = lanes_alike(own_class[j]);
    const u32 before = bit_count(alike & lanes_before());
    u32 of_earlier_warps = 0;
    if (before == 0 && own_class[j] != Classes::none) of_earlier_warps = atomic_add(counts + own_class[j], bit_count(alike));
    const u32 first_lane = lowest_bit(alike);
    rank[j] = shuffle(of_earlier_warps, first_lane) + before;
  }
  if constexpr (copied_keys != 0) {
    u32 short_keys[1] = {0};
    BITUNE_UNROLL
    for (u32 j = 0; j < of_thread; ++j) short_keys[0] += own_class[j] < Classes::of_warps ? static_cast<u32>(own[j].length) : 0;
    warp_sum_each(short_keys);
    if (lane() == 0) atomic_add(counts + Classes::none, short_keys[0]);
  }
  sync_block();

  u64 first_copied = 0;
  u32 copied = 0;
  if constexpr (copied_keys != 0) {
    if (offsets.ends == nullptr && first_segment < count) {
      const Segment last = offsets.segment_of(minimum(first_segment + segments, count) - 1);
      first_copied = offsets.segment_of(first_segment).begin;
      const u64 keys = last.begin + last.length - first_copied;  // a large number if offsets decrease
      if (keys <= minimum(u64{copied_keys}, u64{2} * counts[Classes::none])) copied = static_cast<u32>(keys);
    }
  }
  const Traffic in_copies = traffic.of_copies(first_copied, shared + parts.warp, of_copies);
  if (copied != 0) traffic.template copy<nt>(first_copied, copied, in_copies);

  // Of this lane's class; 0 where no warps sort it.
  const u32 of_warps = lane() < Classes::of_warps ? counts[lane()] : 0;
  const u32 first = sum_through_lane(of_warps) - of_warps;
  if constexpr (lists > 0) {
    if (warp_index() == 0 && lane() >= Classes::of_warps && lane() != Classes::none && counts[lane()] != 0) {
      const layout::BlockLists lists_of_class{class_segments, class_keys, 1 << Classes::listed_bits, octaves};
      const u32 own_list = lane() - Classes::of_warps;
      u32 begin = 0;
      u32 room = 0;
      BITUNE_UNROLL
      for (u32 list = 0; list < lists; ++list) {
        if (list <= own_list) begin += room;
        if (list <= own_list) room = static_cast<u32>(lists_of_class.room(static_cast<int>(list)));
      }
      places[lane()] = begin + minimum(atomic_add(counters->of_block + own_list, counts[lane()]), room);
      ends[lane()] = begin + room;
    }
  }
  BITUNE_UNROLL
  for (u32 j = 0; j < of_thread; ++j) {
    const u32 place = shuffle(first, own_class[j]) + rank[j];
    Segment here = own[j];
    if (copied != 0) {
      here.begin -= first_copied;
      if (here.begin + here.length > copied) here.length = 0;  // offsets are wrong
      if (here.length == 1) in_copies.write_one(here.begin);
    } else if (here.length == 1) {
      traffic.write_one(here.begin);
    }
    if (own_class[j] < Classes::of_warps) {
      begins[place] = here.begin;
      lengths[place] = static_cast<u32>(here.length);
    }
  }
  if constexpr (copied_keys != 0) cp_async_wait_all();
  sync_block();  // other warps have written, some shuffles before
  if constexpr (lists > 0) {
    BITUNE_UNROLL
    for (u32 j = 0; j < of_thread; ++j) {
      if (own_class[j] < Classes::of_warps || own_class[j] == Classes::none) continue;
      const u32 place = places[own_class[j]] + rank[j];
      if (place < ends[own_class[j]]) listed[place] = ListedSegment::of(own[j], are_buckets);
    }
  }

  // The last task of the longer class of a pair takes as many as it has room for of the shorter one.
  const u32 lane_bits_of_class = lane() < Classes::of_warps ? Classes::lane_bits(lane()) : 0;
  const u32 more = (0 - shuffle(of_warps, lane() - 1)) & ((warp_size >> lane_bits_of_class) - 1);
  const u32 taken = Classes::is_shorter(lane()) ? minimum(more, of_warps) : 0;
  const u32 end_task = sum_through_lane((((of_warps - taken) << lane_bits_of_class) + warp_size - 1) / warp_size);
  const u32 all_tasks = shuffle(end_task, warp_size - 1);
  const u32 end = first + of_warps + shuffle(taken, lane() + 1);  // modulo the warp's size
  u8* const warp_tile = shared + parts.warp + warp_index() * tile_bytes;
  auto* const values = reinterpret_cast<typename Traffic::Value*>(warp_tile + of_warp.values);
  const TaskTraffic<Traffic> of_task{traffic, in_copies, copied != 0, reinterpret_cast<Item*>(warp_tile), values};
  for (u32 task = warp_index(); task < all_tasks; task += nt / warp_size) {
    u32 classes_before[1] = {end_task <= task ? 1u : 0u};
    warp_sum_each(classes_before);
    const u32 task_class = classes_before[0];
    const u32 lane_bits = Classes::lane_bits(task_class);
    const u32 first_task = task_class == 0 ? 0 : shuffle(end_task, task_class - 1);
    const u32 place = shuffle(first + taken, task_class) + ((task - first_task) << (5 - lane_bits)) + (lane() >> lane_bits);
    const u32 end_place = shuffle(end, task_class);
    const u32 read_place = minimum(place, end_place - 1);
    const LaneTask lane_task{{begins[read_place], lengths[read_place]}, place < end_place, 1u << lane_bits};
    if constexpr (by_leading_bits) {
      sort_task_by_leading_bits<most_items>(traffic, warp_tile, lane_task, Classes::tile(task_class));
    } else {
      sort_task<most_items>(of_task, lane_task, Classes::tile(task_class));
    }
  }
  if (copied != 0) {
    sync_block();
    traffic.template write_copies<nt>(first_copied, copied, in_copies);
  }
}

/// Calls sort(first_segment, count) for a block's share of `count` segments, `segments` at a time. There is a block for every share. Of
/// buckets there are `count` for each long segment that is counted, which only the device knows; any grid. has_lists: other launches follow.
/// Where there are fewer shares than blocks, those that have one are spread evenly: neighbouring blocks are on the multiprocessors that
/// were free first, and these would have most of the work. Where there are more, a block that is done takes the next one.
template <bool are_buckets, int segments, bool has_lists, class Sort>
BITUNE_DEVICE void share_segments(u64 count, ListCounters* counters, const Sort& sort) {
  begin_launch_of_plan<has_lists>();
  if constexpr (are_buckets) {
    const u64 all = count * LongSegments{nullptr, counters, 0}.count();
    const u64 shares = (all + segments - 1) / segments;
    const u64 blocks = block_count();
    u64 share = block_index();
    if (shares < blocks) {
      share = block_index() * shares / blocks;
      if ((block_index() + 1) * shares / blocks == share) return;
    }
    u64* const shown = shared_memory<u64>();  // sort writes there behind a barrier
    while (share < shares) {
      u64 next = shares;
      if (thread_index() == 0 && shares > blocks) next = blocks + atomic_add(&counters->taken_shares, u64{1});
      sort(share * segments, all);
      sync_block();  // others may sort the share before
      if (thread_index() == 0) *shown = next;
      sync_block();  // the next share is there to be read
      share = *shown;
    }
  } else {
    sort(u64{block_index()} * segments, count);
  }
}

/// Keys alone; see share_segments and sort_short_segments. Buckets are added to the lists of the call, but those that no block sorts have
/// a list of their own. class_segments, class_keys: at most as many are there.
template <class Codec, class Payload, bool are_buckets, int nt, int segments, int most_items, int copied_keys, int lists,
          int octaves, int equal_keys, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
short_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const u8* offsets, u64 offset_bytes, const u8* ends,
               u64 count, u64 n, ListCounters* counters, ListedSegment* listed, ListCounters* long_counters, LongSegment* long_listed,
               u64 class_segments, u64 class_keys, u32 long_tile_keys, u32 equal_length) {
  share_segments<are_buckets, segments, (lists > 0)>(count, counters, [&](u64 first_segment, u64 all) {
    sort_short_segments<SegmentKeys<Codec, imad_quarters>, EqualSegments<Codec, nt, equal_keys>, are_buckets, nt, segments, most_items, copied_keys,
                        lists, octaves>(
        {keys, input}, {offsets, ends, offset_bytes, n}, first_segment, all, counters, listed, {long_listed, long_counters, n},
        class_segments, class_keys, long_tile_keys, equal_length);
  });
}

}  // namespace bitune
