#pragma once

// Merges two sorted runs by "merge path" (O. Green, R. McColl, D. Bader, GPU Merge Path, 2012), with what travels with the keys. Equal keys
// of the first run come first. First each tile of the merged run is told where it begins in the two. Then each block merges a tile, and reads
// and writes each key once. The runs lie anywhere that the device reaches: one may be in another device's memory.

#include "kernels/multi/merge_layout.hpp"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Of the `count` first keys of two merged runs, how many are of the first one.
template <class Order, class Count>
BITUNE_DEVICE Count split_two_runs(const typename Order::Raw* first, Count first_size, const typename Order::Raw* second, Count second_size,
                                   Count count) {
  Count low = count > second_size ? count - second_size : 0;
  Count high = minimum(count, first_size);
  while (low < high) {
    const Count probe = low + (high - low) / 2;
    if (Order::encode(second[count - 1 - probe]) < Order::encode(first[probe])) {
      high = probe;
    } else {
      low = probe + 1;
    }
  }
  return low;
}

/// Of two runs that are merged, the `kept` keys behind the first `skipped` ones are wanted. Writes how many keys of the first run come before
/// each tile of `tile` wanted keys, and before their end. Any grid of blocks of at most nt threads.
template <class Order, class Payload, int nt>
BITUNE_KERNEL(nt, 0)
split_runs(u64* splits, const typename Order::Raw* first, u64 first_size, const typename Order::Raw* second, u64 second_size, u64 skipped,
           u64 kept, u64 tile) {
  const u64 tiles = (kept + tile - 1) / tile;
  const u64 stride = u64{block_count()} * block_size();
  for (u64 i = u64{block_index()} * block_size() + thread_index(); i <= tiles; i += stride) {
    splits[i] = split_two_runs<Order, u64>(first, first_size, second, second_size, skipped + minimum<u64>(i * tile, kept));
  }
}

/// The parts of two runs that make a tile, in shared memory. Each lies as it does in memory, modulo a warp's length: then a warp reads whole
/// lines. Of lines that are read across, a link carries a quarter more.
struct TileParts {
  u32 first_at;
  u32 first_here;
  u32 second_at;

  /// Where element i of both, one behind the other, lies.
  BITUNE_DEVICE u32 operator()(u32 i) const { return i < first_here ? first_at + i : second_at + (i - first_here); }
};

/// The lane that reads this element if lane 0 reads what begins at a multiple of a warp's length.
template <class T>
BITUNE_DEVICE u32 lane_of(const T* element) {
  return static_cast<u32>(reinterpret_cast<u64>(element) / sizeof(T) % warp_size);
}

/// Copies a tile's parts to shared memory: by 16 bytes, which lie at multiples of 16 in both memories, and without registers, so that all are
/// under way at once; where a part begins or ends between such multiples, by a thread for each element. For all threads; a barrier follows.
template <u32 nt, class T>
BITUNE_DEVICE TileParts load_parts(T* to, const T* first, u32 first_here, const T* second, u32 second_here) {
  const u32 first_at = lane_of(first);
  const u32 first_end = first_at + first_here;
  const u32 second_base = (first_end + warp_size - 1) / warp_size * warp_size;
  const u32 second_at = second_base + lane_of(second);
  const u32 second_end = second_at + second_here;
  const auto address_of = [&](u32 i) { return i < second_base ? first + (i - first_at) : second + (i - second_at); };
  const auto are_there = [&](u32 from, u32 end) { return (from >= first_at && end <= first_end) || (from >= second_at && end <= second_end); };
  constexpr u32 piece = 16 / sizeof(T);
  for (u32 from = thread_index() * piece; from < second_end; from += nt * piece) {
    if (are_there(from, from + piece)) cp_async_16(to + from, address_of(from));
  }
  static_assert(nt >= 4 * 16);
  if (const u32 bound = thread_index() / piece; bound < 4) {
    const u32 from = (bound == 0 ? first_at : bound == 1 ? first_end : bound == 2 ? second_at : second_end) / piece * piece;
    const u32 i = from + thread_index() % piece;
    if (!are_there(from, from + piece) && are_there(i, i + 1)) to[i] = *address_of(i);
  }
  cp_async_wait_all();
  return {first_at, first_here, second_at};
}

/// Merges two runs and writes the `kept` keys behind the first `skipped` ones, and what travels with them. keys_out may be null: then only
/// what travels is written. Order: the codec that keys are compared by.
///
/// Grid: a block for each tile of nt * vt keys. Dynamic shared memory: layout::two_runs_tile_bytes, by what has more bytes, a key or what
/// travels with it.
template <class Order, class Payload, int carried_bytes, int nt, int vt>
BITUNE_KERNEL(nt, 0)
merge_two_runs(typename Order::Raw* keys_out, typename CarriedValue<carried_bytes>::Type* carried_out, const typename Order::Raw* first,
               const typename CarriedValue<carried_bytes>::Type* first_carried, const typename Order::Raw* second,
               const typename CarriedValue<carried_bytes>::Type* second_carried, u64 skipped, u64 kept, const u64* splits) {
  using Raw = typename Order::Raw;
  using Carried = typename CarriedValue<carried_bytes>::Type;
  constexpr u32 nv = u32{nt} * vt;
  constexpr u32 room = nv + layout::unread_places();
  constexpr u32 element_bytes = carried_bytes > int{sizeof(Raw)} ? carried_bytes : sizeof(Raw);
  static_assert(nv <= 65536, "places in a tile have 16 bits");
  const u64 begin = u64{block_index()} * nv;
  const u32 here = static_cast<u32>(minimum<u64>(nv, kept - begin));
  const u64 first_from = splits[block_index()];
  const u32 first_here = static_cast<u32>(splits[block_index() + 1] - first_from);
  const u64 second_from = skipped + begin - first_from;
  const u32 second_here = here - first_here;

  Raw* const keys = shared_memory<Raw>();
  u16* const places = reinterpret_cast<u16*>(shared_memory<unsigned char>() + room * element_bytes);  // by their place in the merged tile
  const TileParts parts = load_parts<nt>(keys, first + first_from, first_here, second + second_from, second_here);
  sync_block();

  const u32 mine = minimum(thread_index() * vt, here);
  u32 a = split_two_runs<Order, u32>(keys + parts.first_at, first_here, keys + parts.second_at, second_here, mine);
  u32 b = mine - a;
  const auto key_of_first = [&](u32 i) { return Order::encode(keys[minimum(parts.first_at + i, room - 1)]); };
  const auto key_of_second = [&](u32 i) { return Order::encode(keys[minimum(parts.second_at + i, room - 1)]); };
  auto of_a = key_of_first(a);
  auto of_b = key_of_second(b);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const bool is_a = b >= second_here || (a < first_here && !(of_b < of_a));
    places[layout::padded_place(thread_index() * vt + r)] = static_cast<u16>(is_a ? a : first_here + b);
    if (is_a) {
      ++a;
    } else {
      ++b;
    }
    const auto next = Order::encode(keys[minimum(is_a ? parts.first_at + a : parts.second_at + b, room - 1)]);
    of_a = is_a ? next : of_a;
    of_b = is_a ? of_b : next;
  }
  sync_block();

  const auto write = [&](auto* out, const auto* elements, const TileParts& at) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i < here) out[begin + i] = elements[at(places[layout::padded_place(i)])];
    }
  };
  if (keys_out != nullptr) write(keys_out, keys, parts);
  if constexpr (carried_bytes != 0) {
    sync_block();
    Carried* const carried = shared_memory<Carried>();  // where the keys were
    const TileParts at = load_parts<nt>(carried, first_carried + first_from, first_here, second_carried + second_from, second_here);
    sync_block();
    write(carried_out, carried, at);
  }
}

}  // namespace bitune
