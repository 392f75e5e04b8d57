#pragma once

// Merging sorted runs by "merge path" (O. Green, R. McColl, D. Bader, GPU Merge Path, 2012): of two runs, each block makes a tile of the
// merged one, and each thread some neighbours of the tile. Both search where their part begins in the two runs. No two items are equal.

#include "kernels/merge/merge_layout.hpp"
#include "kernels/network/meta.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Of the `count` smallest items of two runs, how many are of the first one. All lanes of a warp search together: each round leaves one
/// part in 32.
template <class Item>
BITUNE_DEVICE u32 split_by_warp(const Item* first, u32 first_size, const Item* second, u32 second_size, u32 count) {
  u32 low = count > second_size ? count - second_size : 0;
  u32 high = minimum(count, first_size);
  while (low < high) {
    const u32 part = (high - low + warp_size - 1) / warp_size;
    const u32 probe = low + (lane() + 1) * part - 1;
    u32 lower[1] = {probe < high && first[probe] < second[count - 1 - probe] ? 1u : 0u};
    warp_sum_each(lower);
    low += lower[0] * part;
    high = minimum(high, low + part - 1);
  }
  return low;
}

/// The same by each thread, for itself.
template <class Item>
BITUNE_DEVICE u32 split_by_thread(const Item* first, u32 first_size, const Item* second, u32 second_size, u32 count) {
  u32 low = count > second_size ? count - second_size : 0;
  u32 high = minimum(count, first_size);
  while (low < high) {
    const u32 probe = (low + high) / 2;
    if (first[probe] < second[count - 1 - probe]) {
      low = probe + 1;
    } else {
      high = probe;
    }
  }
  return low;
}

/// Merges neighbouring runs of `run` items of a row of `length` items, by blocks of nt threads with vt items each. run is a multiple of
/// nt * vt. Shared memory: layout::merge_tile_bytes.
template <class Item, int nt, int vt>
struct MergeTile {
  static constexpr u32 nv = u32{nt} * vt;
  static_assert(nt >= 2 * warp_size);

  /// Where a thread writes its items, against bank conflicts.
  BITUNE_DEVICE static constexpr u32 padded(u32 index) { return index + index / 16; }

  /// The items from place `begin` of the merged row on, a multiple of nv: register r gets the one at begin + thread_index() + r * nt,
  /// if there are so many.
  BITUNE_DEVICE static void merge(const Item* row, u32 length, u32 run, u32 begin, Item* shared, Item (&items)[vt]) {
    const u64 pair = begin / run / 2 * u64{run} * 2;  // where the two runs begin
    const u32 first_size = static_cast<u32>(minimum<u64>(run, length - pair));
    const u32 second_size = static_cast<u32>(minimum<u64>(run, length - pair - first_size));
    const Item* const first = row + pair;
    const Item* const second = first + first_size;
    const u32 from = begin - static_cast<u32>(pair);
    const u32 to = minimum(from + nv, first_size + second_size);

    u32* const splits = reinterpret_cast<u32*>(shared);
    if (warp_index() < 2) {
      const u32 split = split_by_warp(first, first_size, second, second_size, warp_index() == 0 ? from : to);
      if (lane() == 0) splits[warp_index()] = split;
    }
    sync_block();
    const u32 first_from = splits[0];
    const u32 first_here = splits[1] - first_from;
    const u32 here = to - from;
    const u32 second_from = from - first_from;
    sync_block();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i < here) shared[i] = i < first_here ? first[first_from + i] : second[second_from + (i - first_here)];
    }
    sync_block();

    const u32 mine = minimum(thread_index() * vt, here);
    u32 a = split_by_thread(shared, first_here, shared + first_here, here - first_here, mine);
    u32 b = first_here + (mine - a);
    Item of_a = shared[minimum(a, nv - 1)];
    Item of_b = shared[minimum(b, nv - 1)];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const bool is_a = b >= here || (a < first_here && of_a < of_b);
      items[r] = is_a ? of_a : of_b;
      if (is_a) {
        ++a;
      } else {
        ++b;
      }
      const Item next = shared[minimum(is_a ? a : b, nv - 1)];
      of_a = is_a ? next : of_a;
      of_b = is_a ? of_b : next;
    }
    sync_block();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) shared[padded(thread_index() * vt + r)] = items[r];
    sync_block();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = shared[padded(thread_index() + r * nt)];
  }
};

}  // namespace bitune
