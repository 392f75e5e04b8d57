#pragma once

// A task of a warp: as many segments of a class of length as its lanes hold. All that is known of lengths is known to the compiler: how many
// lanes a segment has, how many items a lane, and how many of these no segment of the task lacks. What no segment lacks is read and written
// without a condition for each item.

#include "kernels/segments/lane_exchange.cuh"
#include "kernels/segments/lane_tile.cuh"
#include "kernels/segments/length_classes.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// A number of lanes that the compiler knows.
template <u32 lanes>
struct Lanes {
  static constexpr u32 count = lanes;
};

/// Calls task(Lanes<lanes>{}); lanes: a power of two, at most `most`. So distances between a lane's keys are immediates: else they
/// are computed for each key, which takes more instructions than its comparisons.
template <u32 most, class Task>
BITUNE_DEVICE void with_lanes(u32 lanes, const Task& task) {
  if constexpr (most > 1) {
    if (lanes < most) return with_lanes<most / 2>(lanes, task);
  }
  task(Lanes<most>{});
}

/// A task's segments, one for each `lanes` lanes.
struct LaneTask {
  Segment segment;  ///< of this lane
  bool is_there;    ///< else the task has no segment for this lane: `segment` is another one's, to be read and not to be written
  u32 lanes;
};

/// What a warp reads and writes of its tasks.
template <class Traffic>
struct TaskTraffic {
  const Traffic& of_call;
  const Traffic& of_copies;  ///< of all keys of the block, in shared memory
  bool is_copied;
  typename Traffic::Item* shared;   ///< else a tile of the warp,
  typename Traffic::Value* values;  ///< and room for its values
};

/// What sorts a task: number `tile` of LaneTiles.
template <int most_items, int tile>
struct TaskTile {
  using Tiles = LaneTiles<most_items>;
  static constexpr int items = Tiles::items(tile);
  static constexpr u32 most_lanes = tile < 2 ? warp_size : 1;
  /// How many items no segment of a task lacks in each of so many lanes. The longer class of a pair takes segments of the shorter one.
  BITUNE_DEVICE static constexpr int sure(u32 lanes) {
    constexpr int behind_pair = tile / 2 * 2 + 2;
    if (lanes > 1) return most_items / 2;
    return behind_pair < Tiles::count ? Tiles::items(behind_pair) + 1 : 2;
  }
};

template <class Tile, class Traffic>
BITUNE_DEVICE void sort_in_lanes(const TaskTraffic<Traffic>& traffic, const LaneTask& task) {
  using Item = typename Traffic::Item;
  using Exchange = LaneExchange<Item, Tile::items>;
  constexpr int vt = Tile::items;
  const u32 lanes = Tile::most_lanes == 1 ? 1 : task.lanes;  // no merges across lanes are compiled then
  // lane(), as the compiler does not know. Else it would compute the places in shared memory of all tiles once, and keep all of them.
  const u32 here = kept(lane() + lanes) - lanes;
  const u32 own = here & (lanes - 1);
  const Segment in_copies = {task.segment.begin, task.is_there ? task.segment.length : 0};
  typename Traffic::Value* const values = traffic.values + (here - own) * vt;
  Item items[vt];
  if (traffic.is_copied) {
    traffic.of_copies.read(in_copies, own * vt, 1, items);
  } else {
    with_lanes<Tile::most_lanes>(lanes, [&](auto known) {
      constexpr u32 count = decltype(known)::count;
      traffic.of_call.template read<vt, Tile::sure(count)>(task.segment, own, count, items);
      if constexpr (Traffic::value_bytes != 0) sync_warp();  // a shuffle comes before the next write
      traffic.of_call.template copy_values<vt, Tile::sure(count)>(task.segment, own, count, values);
    });
  }
  LaneTile<Item, typename Traffic::Compare, vt>::sort(items, lanes);
  const auto barrier = [] { sync_warp(); };
  const auto in_registers = [&](u32 r) -> Item& { return items[r]; };
  if (traffic.is_copied) {  // to the places that the lane has read
    return traffic.of_copies.template write<vt, false>(in_copies, own * vt, 1, in_registers, nullptr, barrier);
  }
  if constexpr (Tile::most_lanes == 1) {
    return traffic.of_call.template write<vt, true, Tile::sure(1)>(task.segment, 0, 1, in_registers, values, barrier, task.is_there);
  }
  sync_warp();  // a shuffle comes before the next write
  Exchange::write(traffic.shared, here, lanes, items);
  sync_warp();
  Item* const first = traffic.shared + Exchange::first(here, lanes);
  with_lanes<Tile::most_lanes>(lanes, [&](auto known) {
    constexpr u32 count = decltype(known)::count;
    const auto exchanged = [&](u32 r) -> Item& { return first[Exchange::distance(r, count)]; };
    traffic.of_call.template write<vt, true, Tile::sure(count)>(task.segment, own, count, exchanged, values, barrier, task.is_there);
  });
}

/// Calls use(TaskTile<most_items, tile>{}). tile: first_tile or behind it.
template <int most_items, int first_tile = 0, class Use>
BITUNE_DEVICE void with_tile(u32 tile, const Use& use) {
  if constexpr (first_tile + 1 < LaneTiles<most_items>::count) {
    if (tile > first_tile) return with_tile<most_items, first_tile + 1>(tile, use);
  }
  use(TaskTile<most_items, first_tile>{});
}

/// Sorts a task by this tile.
template <int most_items, class Traffic>
BITUNE_DEVICE void sort_task(const TaskTraffic<Traffic>& traffic, const LaneTask& task, u32 tile) {
  with_tile<most_items>(tile, [&](auto known) { sort_in_lanes<decltype(known)>(traffic, task); });
}

}  // namespace bitune
