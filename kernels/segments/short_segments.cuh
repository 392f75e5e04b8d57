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
#include "kernels/segments/lane_tile.cuh"
#include "kernels/segments/listed_segment.cuh"
#include "kernels/segments/segment_keys.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// Classes of length in a block's order: short ones first, the longest of them in front; then the lists. A class is one of 32 places.
template <int most_items, int lists, int octaves>
struct LengthClasses {
  static constexpr int item_bits = log2_of(most_items);
  static constexpr u32 longest = most_items * warp_size;
  static constexpr u32 of_warps = 2 * log2_of(longest);
  static constexpr u32 none = warp_size - 1;  ///< what no warp sorts, and no list has
  static_assert(is_power_of_two(most_items) && of_warps + lists < none);

  /// How many bits the number has.
  BITUNE_DEVICE static u32 bits_of_number(u64 number) { return 64 - leading_zeros(number); }

  /// Of a segment of `length` keys.
  BITUNE_DEVICE static u32 of(u64 length) {
    if (length < 2) return none;
    const u32 bits = bits_of_number(length - 1);  // 2^(bits - 1) < length <= 2^bits
    if (length <= longest) {
      const bool is_upper = length > (u64{3} << bits >> 2);
      return of_warps - 2 * bits + (is_upper ? 0 : 1);
    }
    const u32 list = (bits - log2_of(longest) - 1) / octaves;
    return list < lists ? of_warps + list : none;
  }

  /// Bits of the class's longest segment: it is 2^bits, or three quarters of that.
  BITUNE_DEVICE static constexpr u32 bits(u32 of_class) { return (of_warps - of_class + 1) / 2; }
  BITUNE_DEVICE static bool is_three_quarters(u32 of_class) { return (of_warps - of_class) % 2 != 0; }
  /// Lanes that hold a segment, by its class's bits.
  BITUNE_DEVICE static constexpr u32 lane_bits(u32 bits) { return bits > item_bits ? bits - item_bits : 0; }
};

/// The sum of the numbers of this lane and those before it.
BITUNE_DEVICE u32 sum_through_lane(u32 number) {
  BITUNE_UNROLL
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 before = shuffle(number, lane() - distance);  // modulo the warp's size
    if (lane() >= distance) number += before;
  }
  return number;
}

/// A number of lanes that the compiler knows.
template <u32 lanes>
struct Lanes {
  static constexpr u32 count = lanes;
};

/// Calls task(Lanes<lanes>{}); lanes: a power of two, at most `most`. So distances between a lane's keys are immediates: else they are
/// computed for each key, which takes more instructions than its comparisons.
template <u32 most, class Task>
BITUNE_DEVICE void with_lanes(u32 lanes, const Task& task) {
  if constexpr (most > 1) {
    if (lanes < most) return with_lanes<most / 2>(lanes, task);
  }
  task(Lanes<most>{});
}

/// What a warp reads and writes of its tasks.
template <class Traffic>
struct TaskTraffic {
  const Traffic& of_call;
  const Traffic& of_copies;  ///< of all keys of the block, in shared memory
  bool is_copied;
  typename Traffic::Item* shared;   ///< else a tile of the warp,
  typename Traffic::Value* values;  ///< and room for its values
};

/// Sorts a task's segments: `lanes` lanes each, at most `most_lanes`, with vt items a lane.
template <class Traffic, int vt, u32 most_lanes>
BITUNE_DEVICE void sort_in_lanes(const TaskTraffic<Traffic>& task, Segment segment, u32 lanes) {
  using Item = typename Traffic::Item;
  using Compare = typename Traffic::Compare;
  constexpr int padding_shift = log2_of(128 / sizeof(Item));
  // lane(), as the compiler does not know. Else it would compute the places in shared memory of all tiles once, and keep all of them.
  const u32 here = kept(lane() + lanes) - lanes;
  const u32 own = here & (lanes - 1);
  Item items[vt];
  const u32 first_item = (here - own) * vt;
  if (task.is_copied) {
    task.of_copies.read(segment, own * vt, 1, items);
  } else {
    with_lanes<most_lanes>(lanes, [&](auto known) {
      task.of_call.read(segment, own, known.count, items);
      if constexpr (Traffic::value_bytes != 0) sync_warp();  // a shuffle comes before the next write
      task.of_call.template copy_values<vt>(segment, own, known.count, task.values + first_item);
    });
  }
  LaneTile<Item, Compare, vt>::sort(items, lanes);
  if (task.is_copied) {  // to the places that the lane has read
    return task.of_copies.template write<vt, false>(segment, own * vt, 1, [&](u32 r) -> Item& { return items[r]; }, nullptr, [] { sync_warp(); });
  }
  // Through shared memory, so that neighbouring lanes write neighbours. A word of padding after each 128 bytes, against bank conflicts; 3 and
  // 6 items a lane have next to none without.
  constexpr bool is_additive = is_power_of_two(vt) || vt <= 6;
  const auto padded = [](u32 i) { return is_power_of_two(vt) || vt > 6 ? i + (i >> padding_shift) : i; };
  // The item i + offset. For powers of two no bit is in both, so that nothing is carried, and their paddings are added, too.
  const auto item_at = [&](u32 i, u32 offset) {
    return is_additive ? task.shared + padded(i) + padded(offset) : task.shared + padded(i + offset);
  };
  sync_warp();  // a shuffle comes before the next write
  BITUNE_UNROLL
  for (u32 r = 0; r < vt; ++r) *item_at(here * vt, r) = items[r];
  sync_warp();
  const u32 first = first_item + own;
  with_lanes<most_lanes>(lanes, [&](auto known) {
    task.of_call.template write<vt, true>(segment, own, known.count, [&](u32 r) -> Item& { return *item_at(first, r * known.count); },
                                          task.values + first_item, [] { sync_warp(); });
  });
}

/// The same for a class of 2^bits keys or three quarters of that: finds its number of items a lane.
template <class Traffic, int item_bits, u32 most_lanes = warp_size>
BITUNE_DEVICE void sort_task(const TaskTraffic<Traffic>& task, Segment segment, u32 bits, bool is_three_quarters, u32 lanes) {
  if constexpr (item_bits > 1) {
    if (bits < item_bits) return sort_task<Traffic, item_bits - 1, 1>(task, segment, bits, is_three_quarters, lanes);
    if (is_three_quarters) return sort_in_lanes<Traffic, (3 << item_bits) / 4, most_lanes>(task, segment, lanes);
  }
  sort_in_lanes<Traffic, 1 << item_bits, most_lanes>(task, segment, lanes);
}

/// Sorts those of `segments` segments from `first_segment` on, of `count`, that have up to 32 * most_items keys. Longer ones are listed:
/// `lists` lists by length (layout::BlockLists), and those that are longer than these have. copied_keys: the most that are copied; 0: none.
/// All nt threads of a block call it. Dynamic shared memory: layout::short_segment_parts.
template <class Traffic, bool are_buckets, int nt, int segments, int most_items, int copied_keys, int lists, int octaves>
BITUNE_DEVICE void sort_short_segments(const Traffic& traffic, const SegmentOffsets& offsets, u64 first_segment, u64 count,
                                       ListCounters* counters, ListedSegment* listed, const LongSegments& longer, u64 class_segments,
                                       u64 class_keys, u32 long_tile_keys) {
  using Classes = LengthClasses<most_items, lists, octaves>;
  using Item = typename Traffic::Item;
  constexpr u32 of_thread = (segments + nt - 1) / nt;
  constexpr layout::CopiedParts of_copies = Traffic::copied_parts(copied_keys);
  constexpr layout::ShortSegmentParts parts =
      layout::short_segment_parts(nt, segments, most_items, sizeof(Item), Traffic::value_bytes, of_copies.bytes);
  constexpr layout::SegmentTileParts of_warp = layout::segment_tile_parts(warp_size * most_items, sizeof(Item), Traffic::value_bytes);
  u8* const shared = shared_memory<u8>();
  u64* const begins = reinterpret_cast<u64*>(shared + parts.begins);
  u32* const lengths = reinterpret_cast<u32*>(shared + parts.lengths);
  u32* const counts = reinterpret_cast<u32*>(shared + parts.counts);
  u32* const places = counts + warp_size;  // where the block's begin in a list
  u32* const ends = places + warp_size;    // of the list

  for (u32 i = thread_index(); i < warp_size; i += nt) counts[i] = 0;
  sync_block();  // the first warp has cleared the counts
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
      const layout::BlockLists lists_of_class{class_segments, class_keys, static_cast<int>(Classes::longest), octaves};
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

  // The last task of a class whose longest have 2^bits keys takes as many as it has room for of the class that has three quarters of that.
  const u32 lane_bits_of_class = lane() < Classes::of_warps ? Classes::lane_bits(Classes::bits(lane())) : 0;
  const u32 more = (0 - shuffle(of_warps, lane() - 1)) & ((warp_size >> lane_bits_of_class) - 1);
  const u32 taken = Classes::is_three_quarters(lane()) ? minimum(more, of_warps) : 0;
  const u32 end_task = sum_through_lane((((of_warps - taken) << lane_bits_of_class) + warp_size - 1) / warp_size);
  const u32 all_tasks = shuffle(end_task, warp_size - 1);
  const u32 end = first + of_warps + shuffle(taken, lane() + 1);  // modulo the warp's size
  u8* const warp_tile = shared + parts.warp + warp_index() * static_cast<u32>(of_warp.bytes);
  auto* const values = reinterpret_cast<typename Traffic::Value*>(warp_tile + of_warp.values);
  const TaskTraffic<Traffic> of_task{traffic, in_copies, copied != 0, reinterpret_cast<Item*>(warp_tile), values};
  for (u32 task = warp_index(); task < all_tasks; task += nt / warp_size) {
    u32 classes_before[1] = {end_task <= task ? 1u : 0u};
    warp_sum_each(classes_before);
    const u32 task_class = classes_before[0];
    const u32 bits = Classes::bits(task_class);
    const u32 lane_bits = Classes::lane_bits(bits);
    const u32 first_task = task_class == 0 ? 0 : shuffle(end_task, task_class - 1);
    const u32 place = shuffle(first + taken, task_class) + ((task - first_task) << (5 - lane_bits)) + (lane() >> lane_bits);
    Segment segment = {0, 0};
    if (place < shuffle(end, task_class)) segment = {begins[place], lengths[place]};
    sort_task<Traffic, Classes::item_bits>(of_task, segment, bits, Classes::is_three_quarters(task_class), 1u << lane_bits);
  }
  if (copied != 0) {
    sync_block();
    traffic.template write_copies<nt>(first_copied, copied, in_copies);
  }
}

/// Calls sort(first_segment, count) for a block's share of `count` segments, `segments` at a time. There is a block for every share. Of
/// buckets there are `count` for each long segment that is counted, which only the device knows; any grid. has_lists: other launches follow.
/// Where there are fewer shares than blocks, those that have one are spread evenly: neighbouring blocks are on the multiprocessors that
/// were free first, and these would have most of the work.
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
    for (; share < shares; share += blocks) {
      sort(share * segments, all);
      sync_block();  // others may sort the share before
    }
  } else {
    sort(u64{block_index()} * segments, count);
  }
}

/// Keys alone; see share_segments and sort_short_segments. Buckets are added to the lists of the call, but those that no block sorts have
/// a list of their own. class_segments, class_keys: at most as many are there.
template <class Codec, class Payload, bool are_buckets, int nt, int segments, int most_items, int copied_keys, int lists, int octaves,
          int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
short_segments(typename Codec::Raw* keys, const typename Codec::Raw* input, const u8* offsets, u64 offset_bytes, const u8* ends,
               u64 count, u64 n, ListCounters* counters, ListedSegment* listed, ListCounters* long_counters, LongSegment* long_listed,
               u64 class_segments, u64 class_keys, u32 long_tile_keys) {
  share_segments<are_buckets, segments, (lists > 0)>(count, counters, [&](u64 first_segment, u64 all) {
    sort_short_segments<SegmentKeys<Codec, imad_quarters>, are_buckets, nt, segments, most_items, copied_keys, lists, octaves>(
        {keys, input}, {offsets, ends, offset_bytes, n}, first_segment, all, counters, listed, {long_listed, long_counters, n},
        class_segments, class_keys, long_tile_keys);
  });
}

}  // namespace bitune
