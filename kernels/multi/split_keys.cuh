#pragma once

// Splits a rank's keys, and what travels with them, by where they go: each class is an array of its own, in which items stay in their order. Where
// each tile's items go is known before (count_classes.cuh). Each is read and written once.

#include "kernels/multi/count_classes.cuh"
#include "kernels/network/carried_value.cuh"

namespace bitune {

/// Calls work(r) for a thread's items, of which the first `there` are there: all of them, most of the time.
template <int vt, class Work>
BITUNE_DEVICE void for_each_there(bool all, i32 there, Work work) {
  if (all) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) work(r);
  } else {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r < there) work(r);
    }
  }
}

/// Splits the tiles from `first_tile` on, so many, of n keys, the first of which has the index `first` in the whole, and what travels with them:
/// values of so many bytes (0: nothing), or, with makes_indices, those indices. counts, bases: by place_tiles. Classes that are not at a cut go to
/// keys_out and values_out, one behind the other; those at cuts each to an array of `cut_room` items, one behind the other from item
/// `first_cut` on. What has no room there is not written: the host sees that. Grid: a block of layout::split_threads for each tile. Dynamic shared
/// memory: layout::split_tile_parts.
template <class Order, class Payload, int carried_bytes, bool makes_indices, int parts>
BITUNE_KERNEL(layout::split_threads(), 4)
split_keys(typename Order::Raw* keys_out, typename CarriedValue<carried_bytes>::Type* values_out, u64 launch_begin, u64 first_cut, u64 cut_room,
           const typename Order::Raw* keys_in, const typename CarriedValue<carried_bytes>::Type* values_in, u64 n, u64 first,
           const SplitBound* bounds, const u64* counts, const u64* bases, u32 first_tile, u32 tiles) {
  using Raw = typename Order::Raw;
  using Value = typename CarriedValue<carried_bytes>::Type;
  constexpr u32 classes = layout::split_classes(parts);
  constexpr int vt = layout::split_items();
  constexpr u32 of_warp = warp_size * vt;
  constexpr layout::SplitTileParts shared = layout::split_tile_parts(sizeof(Raw), parts);
  static_assert(of_warp < ClassNumbers<classes>::limit);
  u8* const memory = shared_memory<u8>();
  u16* const warp_counts = reinterpret_cast<u16*>(memory);
  u16* const sources = reinterpret_cast<u16*>(memory + shared.sources) + warp_index() * of_warp;
  Raw* const keys = reinterpret_cast<Raw*>(memory + shared.keys) + warp_index() * of_warp;

  const u32 tile = first_tile + block_index();
  const u64 begin = u64{tile} * layout::split_tile() + warp_index() * of_warp;  // of the warp
  const u32 count = begin < n ? items_in_tile(begin, n, of_warp) : 0;
  const bool is_full = count == of_warp;
  const Raw* const from = keys_in + begin + lane();
  if (is_full) {
    Raw loaded[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) loaded[r] = from[r * warp_size];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) keys[lane() + r * warp_size] = loaded[r];
  } else {
    for (u32 i = lane(); i < count; i += warp_size) keys[i] = keys_in[begin + i];
  }
  const u32 source = lane() * vt;  // the first item of the thread, which has neighbours
  ClassBounds<Order, classes> of_classes;
  of_classes.load(bounds, first + begin + source, 1);
  sync_warp();

  const i32 there = static_cast<i32>(count) - static_cast<i32>(source);
  ClassNumbers<classes> places;
  u32 found[vt];
  for_each_there<vt>(is_full, there, [&](int r) {
    found[r] = of_classes.class_of(Order::encode(keys[source + r]), r);
    places.take(found[r]);
  });
  // Now each thread learns where its first item of each class goes, among the warp's, class by class.
  const ClassNumbers<classes> all = places.add_up();
  u32 start = 0;
  BITUNE_UNROLL
  for (u32 i = 0; i < classes; ++i) {
    places.add(i, start);
    start += all.at(i);
    if (lane() == i) warp_counts[warp_index() * classes + i] = static_cast<u16>(all.at(i));
  }
  for_each_there<vt>(is_full, there, [&](int r) { sources[places.take(found[r])] = static_cast<u16>(source + r); });
  sync_block();

  start = 0;
  u64 before = launch_begin;
  BITUNE_UNROLL
  for (u32 i = 0; i < classes; ++i) {
    u64 target = bases[u64{i} * tiles + block_index()];
    for (u32 warp = 0; warp < warp_index(); ++warp) target += warp_counts[warp * classes + i];
    const bool has_room = !layout::is_at_cut(i) || target + all.at(i) <= cut_room;
    if (layout::is_at_cut(i)) {
      target += first_cut + i / 2 * cut_room;
    } else {
      target += before;
      before += counts[i];
    }
    target -= start;
    const u32 end = start + all.at(i);
    Raw* const keys_to = keys_out + target;
    Value* const values_to = values_out + target;
    BITUNE_UNROLL_N(4)
    for (u32 slot = has_room ? start + lane() : end; slot < end; slot += warp_size) {
      const u32 item = sources[slot];
      keys_to[slot] = keys[item];
      if constexpr (makes_indices) {
        values_to[slot] = static_cast<Value>(first + begin + item);
      } else if constexpr (carried_bytes != 0) {
        values_to[slot] = (values_in + begin)[item];
      }
    }
    start = end;
  }
}

}  // namespace bitune
