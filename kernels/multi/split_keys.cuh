#pragma once

// Splits a rank's keys, and what travels with them, by where they go: each class of a Split is an array of its own, in which items stay in
// their order. Each is read and written once. A block ranks the items of its tile by class, and looks back to learn how many the tiles
// before it have, as a radix pass does.

#include "kernels/multi/split_bounds.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/look_back.cuh"
#include "kernels/radix/warp_ranks.cuh"

namespace bitune {

/// What a block of split_keys has in shared memory.
template <class Raw, class Value, int nt, int vt, int parts>
struct SplitTile {
  static constexpr u32 slot_bytes = sizeof(Raw) > sizeof(Value) ? sizeof(Raw) : sizeof(Value);
  static constexpr layout::SplitTileParts places = layout::split_tile_parts(nt, vt, slot_bytes, parts);

  u8* memory;

  template <class T>
  BITUNE_DEVICE T* at(layout::Size place) const {
    return reinterpret_cast<T*>(memory + place);
  }
  BITUNE_DEVICE Raw* keys() const { return at<Raw>(0); }
  BITUNE_DEVICE Value* values() const { return at<Value>(0); }  ///< once the keys are written
  BITUNE_DEVICE SplitBound* bounds() const { return at<SplitBound>(places.bounds); }
  BITUNE_DEVICE u64* targets() const { return at<u64>(places.targets); }
  BITUNE_DEVICE u64* ends() const { return at<u64>(places.ends); }
  BITUNE_DEVICE u32* starts() const { return at<u32>(places.starts); }
  BITUNE_DEVICE u16* counters() const { return at<u16>(places.counters); }
  BITUNE_DEVICE u32* ticket() const { return at<u32>(places.ticket); }
};

/// Splits n keys, the first of which has the index `first` in the whole, and what travels with them: values of so many bytes (0: nothing), or,
/// with makes_indices, those indices. Order: the codec that keys are compared by. split: by choose_bounds; the counts are written. What a class
/// has no room for is only counted. ticket: 0 at first. states: what LookBack keeps of each tile's classes, 0 at first. Grid: a block for
/// each tile of nt * vt keys. Dynamic shared memory: layout::split_tile_parts.
template <class Order, class Payload, int carried_bytes, bool makes_indices, int parts, int nt, int vt>
BITUNE_KERNEL(nt, 0)
split_keys(typename Order::Raw* keys_out, typename CarriedValue<carried_bytes>::Type* values_out, const typename Order::Raw* keys_in,
           const typename CarriedValue<carried_bytes>::Type* values_in, u64 n, u64 first, Split* split, u32* ticket, u64* states) {
  using Raw = typename Order::Raw;
  using Value = typename CarriedValue<carried_bytes>::Type;
  constexpr u32 classes = layout::split_classes(parts);
  constexpr int bits = layout::split_class_bits(parts);
  constexpr u32 values = u32{1} << bits;
  constexpr u32 warps = nt / warp_size;
  constexpr u32 nv = u32{nt} * vt;
  static_assert(nt >= values && classes < values);
  const SplitTile<Raw, Value, nt, vt, parts> shared{shared_memory<u8>()};
  const LookBack<u64, values, 4> sums{states};

  if (thread_index() == 0) *shared.ticket() = atomic_add(ticket, 1);
  if (thread_index() + 1 < classes) shared.bounds()[thread_index()] = split->bounds[thread_index()];
  for (u32 i = thread_index(); i < warps * values; i += nt) shared.counters()[i] = 0;
  sync_block();
  const u32 tile = *shared.ticket();
  const u64 begin = u64{tile} * nv;
  const u32 count = items_in_tile(begin, n, nv);
  const u32 mine = warp_index() * (warp_size * vt) + lane();  // register r of a lane has item mine + 32 r

  Raw keys[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = mine + r * warp_size;
    keys[r] = i < count ? keys_in[begin + i] : Raw{0};
  }
  u32 places[vt];  // in the lower half how many of the warp's items of the class come before, in the upper half the class
  const WarpRanks<bits> of_warp(shared.counters());
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = mine + r * warp_size;
    const u32 found = i < count ? class_of<classes>(shared.bounds(), Order::encode(keys[r]), first + begin + i) : classes;
    places[r] = found << 16 | of_warp.count(found);
  }
  sync_block();

  // A thread has a class: it turns the counts of warps into places, and tells the tiles behind.
  u32 of_tile = 0;
  if (thread_index() < values) {
    for (u32 warp = 0; warp < warps; ++warp) {
      u16& of_one = shared.counters()[warp * values + thread_index()];
      const u32 items = of_one;
      of_one = static_cast<u16>(of_tile);
      of_tile += items;
    }
    shared.starts()[thread_index()] = of_tile;
    if (tile != 0) sums.publish_own(tile, thread_index(), of_tile);
  }
  sync_block();
  u32 start = 0;
  if (thread_index() < values) {
    for (u32 i = 0; i < thread_index(); ++i) start += shared.starts()[i];
  }
  sync_block();
  if (thread_index() < values) shared.starts()[thread_index()] = start;
  sync_block();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 found = places[r] >> 16;
    places[r] = shared.starts()[found] + shared.counters()[warp_index() * values + found] + (places[r] & 0xffff);
    shared.keys()[places[r]] = keys[r];
  }
  if (thread_index() < values) {
    const u64 before = tile == 0 ? 0 : sums.before(tile, thread_index());
    sums.publish_inclusive(tile, thread_index(), before + of_tile);
    if (thread_index() < classes) {
      shared.targets()[thread_index()] = split->begins[thread_index()] + before - start;
      shared.ends()[thread_index()] = split->begins[thread_index() + 1];
      if (begin + count == n) split->counts[thread_index()] = before + of_tile;
    }
  }
  sync_block();

  u32 starts[classes];
  BITUNE_UNROLL
  for (u32 i = 0; i < classes; ++i) starts[i] = shared.starts()[i];
  const auto write = [&](auto* to, const auto* from) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i >= count) break;
      u32 found = 0;
      BITUNE_UNROLL
      for (u32 other = 1; other < classes; ++other) found += i >= starts[other] ? 1 : 0;
      const u64 place = shared.targets()[found] + i;
      if (place < shared.ends()[found]) to[place] = from[i];
    }
  };
  write(keys_out, shared.keys());
  if constexpr (carried_bytes != 0) {
    Value carried[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = mine + r * warp_size;
      if constexpr (makes_indices) {
        carried[r] = static_cast<Value>(first + begin + i);
      } else {
        carried[r] = i < count ? values_in[begin + i] : Value{};
      }
    }
    sync_block();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) shared.values()[places[r]] = carried[r];
    sync_block();
    write(values_out, shared.values());
  }
}

}  // namespace bitune
