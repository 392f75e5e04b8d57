#pragma once

// Merges two sorted runs by "merge path" (O. Green, R. McColl, D. Bader, GPU Merge Path, 2012), with what travels with the keys. Equal keys
// of the first run come first. First each tile of the merged run is told where it begins in the two. Then each block merges a tile, and reads
// and writes each key once. The runs lie anywhere that the device reaches: one may be in another device's memory.

#include "kernels/multi/key_halves.cuh"
#include "kernels/multi/merge_layout.hpp"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/meta.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Of the `count` first keys of two merged runs, how many are of the first one.
template <class Order>
BITUNE_DEVICE u32 split_two_runs(const typename Order::Raw* first, u32 first_size, const typename Order::Raw* second, u32 second_size,
                                 u32 count) {
  u32 low = count > second_size ? count - second_size : 0;
  u32 high = minimum(count, first_size);
  while (low < high) {
    const u32 probe = low + (high - low) / 2;
    if (Order::encode(second[count - 1 - probe]) < Order::encode(first[probe])) {
      high = probe;
    } else {
      low = probe + 1;
    }
  }
  return low;
}

/// As split_two_runs, by `lanes` neighbouring lanes: each round of reads leaves one part of lanes + 1 of what was left. All lanes of a warp call
/// it together, each group of them with a count of its own.
template <class Order, u32 lanes>
BITUNE_DEVICE u64 split_by_lanes(const typename Order::Raw* first, u64 first_size, const typename Order::Raw* second, u64 second_size,
                                 u64 count) {
  u64 low = count > second_size ? count - second_size : 0;
  u64 high = minimum(count, first_size);
  const u32 of_group = (0xffffffffu >> (warp_size - lanes)) << (lane() / lanes * lanes);
  while (!all_of_warp(low >= high)) {
    const u64 step = (high - low) / (lanes + 1) + 1;
    const u64 probe = low + (lane() % lanes + 1) * step - 1;
    const bool is_before = probe < high && !(Order::encode(second[count - 1 - probe]) < Order::encode(first[probe]));
    const u32 before = bit_count(lanes_where(is_before) & of_group);  // the first lanes
    high = minimum(high, low + (before + 1) * step - 1);
    low += before * step;
  }
  return low;
}

/// Of two runs that are merged, the `kept` keys behind the first `skipped` ones are wanted. Writes how many keys of the first run come before
/// each tile of `tile` wanted keys, and before their end. `lanes` search for a tile: several read more, and have fewer rounds to wait for. Any
/// grid of blocks of whole warps, of at most nt threads.
template <class Order, class Payload, int nt, u32 lanes>
BITUNE_KERNEL(nt, 0)
split_runs(u64* splits, const typename Order::Raw* first, u64 first_size, const typename Order::Raw* second, u64 second_size, u64 skipped,
           u64 kept, u64 tile) {
  constexpr u32 of_warp = warp_size / lanes;
  const u64 tiles = (kept + tile - 1) / tile;
  const u64 warp = (u64{block_index()} * block_size() + thread_index()) / warp_size;
  const u64 stride = u64{block_count()} * block_size() / lanes;
  for (u64 begin = warp * of_warp; begin <= tiles; begin += stride) {
    const u64 i = begin + lane() / lanes;
    const u64 split = split_by_lanes<Order, lanes>(first, first_size, second, second_size, skipped + minimum<u64>(i * tile, kept));
    if (i <= tiles && lane() % lanes == 0) splits[i] = split;
  }
}

/// As split_runs, for chunks of the wanted keys: each is half of what is left, in whole multiples of `multiple` keys. The last one is all that
/// is left. Grid: a block with a warp for each chunk, and one for their end.
template <class Order, class Payload, int chunks>
BITUNE_KERNEL((chunks + 1) * 32, 0)
split_chunks(u64* splits, const typename Order::Raw* first, u64 first_size, const typename Order::Raw* second, u64 second_size, u64 skipped,
             u64 kept, u64 multiple) {
  const u32 chunk = thread_index() / warp_size;
  const u64 begin = chunk < chunks ? layout::chunk_begin<u64>(kept, chunk, multiple) : kept;
  splits[chunk] = split_by_lanes<Order, warp_size>(first, first_size, second, second_size, skipped + begin);
}

/// The lane that reads this element if lane 0 reads what begins at a multiple of a warp's length.
template <class T>
BITUNE_DEVICE u32 lane_of(const T* element) {
  return static_cast<u32>(reinterpret_cast<u64>(element) / sizeof(T) % warp_size);
}

/// Begins to copy the elements from `begin` to `end` of `from` to the same places in shared memory, both as far from a multiple of 16 bytes.
/// Where they begin or end between such multiples a thread copies each, and waits for it.
template <int nt, class T>
BITUNE_DEVICE void copy_to_places(T* to, const T* from, u32 begin, u32 end) {
  constexpr u32 piece = 16 / sizeof(T);
  static_assert(nt >= 2 * piece);
  const auto is_whole = [&](u32 i) { return i >= begin && i + piece <= end; };
  for (u32 i = begin / piece * piece + thread_index() * piece; i < end; i += nt * piece) {
    if (is_whole(i)) cp_async_16(to + i, from + i);
  }
  if (const u32 t = thread_index(); t < 2 * piece) {
    const u32 group = (t < piece ? begin : end) / piece * piece;
    const u32 i = group + t % piece;
    if (!is_whole(group) && i >= begin && i < end) to[i] = from[i];
  }
}

/// Merges two runs and writes the `kept` keys behind the first `skipped` ones, and what travels with them. keys_out may be null: then only
/// what travels is written. Order: the codec that keys are compared by.
///
/// by_halves: the keys of the first run (first_is_far) or of the second are made of their halves, unless starts say that they can't be.
/// lower, starts: of that run, by halve_keys and find_upper_halves. What travels with it comes to shared memory at once with the keys: it begins as
/// far from a multiple of 16 bytes as they do.
///
/// Grid: a block for each tile of nt * vt keys. Dynamic shared memory: layout::two_runs_tile.
template <class Order, class Payload, int carried_bytes, int nt, int vt, bool by_halves>
BITUNE_KERNEL(nt, 0)
merge_two_runs(typename Order::Raw* keys_out, typename CarriedValue<carried_bytes>::Type* carried_out, const typename Order::Raw* first,
               const typename CarriedValue<carried_bytes>::Type* first_carried, const typename Order::Raw* second,
               const typename CarriedValue<carried_bytes>::Type* second_carried, u64 skipped, u64 kept, const u64* splits,
               const u16* lower, const u32* starts, u32 first_is_far) {
  using Raw = typename Order::Raw;
  constexpr u32 nv = u32{nt} * vt;
  static_assert(nv + layout::unread_places() <= 65536, "places in a tile have 16 bits");
  const u64 begin = u64{block_index()} * nv;
  const u32 here = static_cast<u32>(minimum<u64>(nv, kept - begin));
  const u64 first_from = splits[block_index()];
  const u32 first_here = static_cast<u32>(splits[block_index() + 1] - first_from);
  const u64 second_from = skipped + begin - first_from;
  // The tile's keys of the first run, and behind them those of the second. A warp reads what begins at a multiple of its own length: if it
  // reads across, a link carries a quarter more. So before each run's keys some places are free.
  const u32 first_at = lane_of(first + first_from);
  const u32 first_end = first_at + first_here;
  const u32 second_base = (first_end + warp_size - 1) / warp_size * warp_size;
  const u32 second_at = second_base + lane_of(second + second_from);
  const u32 second_end = second_at + (here - first_here);
  const auto address_of = [&](const auto* of_first, const auto* of_second, u32 place) {
    return place < second_base ? of_first + (first_from + place - first_at) : of_second + (second_from + place - second_at);
  };

  using Value = typename CarriedValue<carried_bytes>::Type;
  constexpr layout::TwoRunsTile parts = layout::two_runs_tile(nv, sizeof(Raw), by_halves ? carried_bytes : 0);
  Raw* const keys = shared_memory<Raw>();
  constexpr u32 room = nv + layout::unread_places();
  u16* const places = reinterpret_cast<u16*>(shared_memory<u8>() + parts.places);  // by their place in the merged tile
  Value* const far_carried = reinterpret_cast<Value*>(shared_memory<u8>() + parts.carried);

  // By 16 bytes, which lie at multiples of 16 in both memories, and without registers: all are under way at once. Where a run begins or ends
  // between such multiples, a thread for each key. One loop for both runs: one after the other took 7 % longer.
  const bool has_halves = by_halves && starts[layout::upper_halves()] == 0;
  const bool is_first_far = by_halves && first_is_far != 0;
  const bool reads_first = !(has_halves && is_first_far);
  const bool reads_second = !has_halves || is_first_far;
  const auto is_of_run = [&](u32 from, u32 to) {
    return (reads_first && from >= first_at && to <= first_end) || (reads_second && from >= second_at && to <= second_end);
  };
  constexpr u32 piece = 16 / sizeof(Raw);
  for (u32 from = thread_index() * piece; from < second_end; from += nt * piece) {
    if (is_of_run(from, from + piece)) cp_async_16(keys + from, address_of(first, second, from));
  }
  static_assert(nt >= 4 * 16);
  if (const u32 bound = thread_index() / piece; bound < 4) {
    const u32 from = (bound == 0 ? first_at : bound == 1 ? first_end : bound == 2 ? second_at : second_end) / piece * piece;
    const u32 i = from + thread_index() % piece;
    if (!is_of_run(from, from + piece) && is_of_run(i, i + 1)) keys[i] = *address_of(first, second, i);
  }
  if constexpr (by_halves) {
    const u32 far_from = static_cast<u32>(is_first_far ? first_from : second_from);
    const u32 far_at = is_first_far ? first_at : second_at;
    const u32 far_end = is_first_far ? first_end : second_end;
    if constexpr (carried_bytes != 0) {
      const Value* const from = (is_first_far ? first_carried : second_carried) + far_from - far_at;
      copy_to_places<nt>(far_carried, from, far_at, far_end);
    }
    if (has_halves) {
      join_halves<Order, nt, vt * nt>(lower, starts, far_from, far_from + (far_end - far_at), [&](u32 i, Raw key) { keys[far_at + (i - far_from)] = key; });
    }
  }
  cp_async_wait_all();
  sync_block();

  const u32 mine = minimum(thread_index() * vt, here);
  const u32 before = split_two_runs<Order>(keys + first_at, first_here, keys + second_at, here - first_here, mine);
  u32 a = first_at + before;
  u32 b = second_at + (mine - before);
  auto of_a = Order::encode(keys[minimum(a, room - 1)]);
  auto of_b = Order::encode(keys[minimum(b, room - 1)]);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const bool is_a = b >= second_end || (a < first_end && !(of_b < of_a));
    places[layout::padded_place(thread_index() * vt + r)] = static_cast<u16>(is_a ? a : b);
    if (is_a) {
      ++a;
    } else {
      ++b;
    }
    const auto next = Order::encode(keys[minimum(is_a ? a : b, room - 1)]);
    of_a = is_a ? next : of_a;
    of_b = is_a ? of_b : next;
  }
  sync_block();

  // What travels is read for some keys before it is written for the first of them: a link takes long.
  constexpr int at_once = carried_bytes == 0 ? 1 : smaller_of(vt, 64 / (carried_bytes == 0 ? 1 : carried_bytes));
  static_assert(vt % at_once == 0);
  BITUNE_UNROLL
  for (int first_r = 0; first_r < vt; first_r += at_once) {
    Value carried[at_once];
    BITUNE_UNROLL
    for (int r = 0; r < at_once; ++r) {
      const u32 i = thread_index() + (first_r + r) * nt;
      if (i >= here) continue;
      const u32 place = places[layout::padded_place(i)];
      if (keys_out != nullptr) keys_out[begin + i] = keys[place];
      if constexpr (carried_bytes != 0) {
        if (by_halves && (place < second_base) == is_first_far) {
          carried[r] = far_carried[place];
        } else {
          carried[r] = *address_of(first_carried, second_carried, place);
        }
      }
    }
    if constexpr (carried_bytes != 0) {
      BITUNE_UNROLL
      for (int r = 0; r < at_once; ++r) {
        const u32 i = thread_index() + (first_r + r) * nt;
        if (i < here) carried_out[begin + i] = carried[r];
      }
    }
  }
}

}  // namespace bitune
