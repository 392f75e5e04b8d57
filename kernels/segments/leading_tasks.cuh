#pragma once

// A task of a warp (lane_tasks.cuh) that is sorted by leading bits. Keys and values are copied to shared memory, and fetched from there by
// place. Only the sort itself knows how many items a lane has: code of each tile for all of it would not fit the cache of instructions.

#include "kernels/network/network_layout.hpp"
#include "kernels/segments/lane_tasks.cuh"
#include "kernels/segments/leading_bits.cuh"
#include "kernels/segments/staged_places.cuh"

namespace bitune {

/// Sorts a segment by leading bits, and writes its items to shared memory. Whether neighbours agree in these, and not in all bits.
template <class Tile, class Word, class WordAt>
BITUNE_DEVICE bool sort_by_leading_bits(const LeadingBits<Word>& bits, u32 lanes, const WordAt& word_at, u32* staged) {
  constexpr int vt = Tile::items;
  constexpr bool several_lanes = Tile::most_lanes > 1;
  constexpr int sure = several_lanes ? smaller_of(Tile::sure(1), Tile::sure(2)) : Tile::sure(1);
  u32 items[vt];
  const bool has_all_bits = bits.template make<sure, several_lanes>(word_at, items);
  LaneTile<u32, Comparator<0>, vt>::sort(items, lanes);
  const bool alike = bits.template are_alike<several_lanes>(items);
  u32* const own = staged + bits.own * vt;
  BITUNE_UNROLL
  for (int r = 0; r < vt; r += 2) {
    if constexpr (several_lanes && vt % 2 == 0) {
      const u32 two[2] = {items[r], items[r + 1]};
      store_vector(own + r, two);
    } else {
      own[r] = items[r];
      if (r + 1 < vt) own[r + 1] = items[r + 1];
    }
  }
  return alike && !has_all_bits;
}

/// Sorts a segment's items that are in shared memory, of whatever tile: none has more items a lane than the first one.
template <int most_items, class Word>
BITUNE_DEVICE void sort_staged(const LeadingBits<Word>& bits, u32* staged) {
  constexpr int vt = LaneTiles<most_items>::items(0);
  u32 items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    items[r] = LeadingBits<Word>::padding;
    if (bits.own + r * bits.lanes < bits.length) items[r] = staged[bits.own + r * bits.lanes];
  }
  LaneTile<u32, Comparator<0>, vt>::sort(items, bits.lanes);
  sync_warp();  // a shuffle comes before the next write
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (bits.own * vt + r < bits.length) staged[bits.own * vt + r] = items[r];
  }
  sync_warp();  // a shuffle comes before the next read, or it is a look
}

/// Puts in order what leading bits do not tell. All lanes of the warp call it.
template <int most_items, class Word, class WordAt>
BITUNE_DEVICE void sort_by_all_bits(const LeadingBits<Word>& bits, const WordAt& word_at, u32* staged) {
  BITUNE_UNROLL_N(1)
  for (u32 known = 0; known < bits.most_left(); known += bits.next_bits()) {
    if (bits.are_in_order(word_at, staged)) return;
    bits.refine(word_at, staged, known);
    sort_staged<most_items>(bits, staged);
  }
}

/// The lanes that read and write a task's segments: four or eight neighbours for each, where fewer sort it. So a load of the warp touches few
/// lines of memory.
struct WideTask {
  const LaneTask& task;
  u32 lanes;   ///< of a segment
  u32 rounds;  ///< of LanePlaces

  BITUNE_DEVICE WideTask(const LaneTask& task_, u32 lane_items)
      : task(task_), lanes(maximum(task_.lanes, task_.lanes * lane_items > 16 ? u32{8} : u32{4})), rounds((task_.lanes * lane_items + lanes - 1) / lanes) {}

  /// Calls use(places, the first lane that sorts the segment) for as many segments at once as the warp has lanes for. length: of this lane's
  /// segment, as it is to be for `use`.
  template <class Use>
  BITUNE_DEVICE void each(u64 length, const Use& use) const {
    const u32 at_once = warp_size / lanes * task.lanes;  // so many lanes sort them
    BITUNE_UNROLL_N(1)
    for (u32 first = 0; first < warp_size; first += at_once) {
      const u32 sorting = first + lane() / lanes * task.lanes;
      const Segment segment = {shuffle(task.segment.begin, sorting), shuffle(static_cast<u32>(length), sorting)};
      use(LanePlaces{segment, lane() & (lanes - 1), lanes, rounds}, sorting);
    }
  }
};

/// Sorts a task by tile number `tile` of LaneTiles. shared: of the warp, layout::leading_tile_parts.
template <int most_items, class Traffic>
BITUNE_DEVICE void sort_task_by_leading_bits(const Traffic& traffic, u8* shared, const LaneTask& task, u32 tile) {
  using Word = typename Traffic::Word;
  using Raw = typename Traffic::Raw;
  using Value = typename Traffic::Value;
  constexpr layout::LeadingTileParts parts = layout::leading_tile_parts(most_items, sizeof(Raw), Traffic::value_bytes);
  const u32 lane_items = LaneTiles<most_items>::items_of(tile);
  const u32 own = lane() & (task.lanes - 1);
  // An odd number of places for each lane, against bank conflicts. But items of a lane of its own may be written by two.
  const u32 pitch = lane_items | 1;
  const u32 item_pitch = task.lanes > 1 || tile > 1 ? pitch : lane_items;
  u32* const items = reinterpret_cast<u32*>(shared);
  Raw* const keys = reinterpret_cast<Raw*>(shared + parts.keys);
  Value* const values = reinterpret_cast<Value*>(shared + parts.values);
  const WideTask wide(task, lane_items);
  sync_warp();  // a shuffle comes before the next write
  wide.each(task.segment.length, [&](const LanePlaces& places, u32 sorting) {
    traffic.stage(places, keys + sorting * pitch, values + sorting * pitch);
  });
  cp_async_wait_all();
  sync_warp();

  const LeadingBits<Word> bits(static_cast<u32>(task.segment.length), task.lanes, own, lane_items);
  u32* const own_items = items + (lane() - own) * item_pitch;
  const Raw* const own_keys = keys + (lane() - own) * pitch;
  const auto word_at = [&](u32 place) { return Traffic::word_of(own_keys[place]); };
  bool is_sorted = false;
  with_tile<most_items>(tile, [&](auto known) {
    using Tile = decltype(known);
    is_sorted = !sort_by_leading_bits<Tile>(bits, Tile::most_lanes == 1 ? 1 : task.lanes, word_at, own_items);
  });
  sync_warp();  // a vote comes before the next read
  if (!all_of_warp(is_sorted)) sort_by_all_bits<most_items>(bits, word_at, own_items);
  wide.each(task.is_there ? task.segment.length : 0, [&](const LanePlaces& places, u32 sorting) {
    const u32* const sorted = items + sorting * item_pitch;
    const auto place_at = [&](u32 i) { return bits.place_of(sorted[i]); };
    traffic.write_by_place(places, place_at, keys + sorting * pitch, values + sorting * pitch);
  });
}

}  // namespace bitune
