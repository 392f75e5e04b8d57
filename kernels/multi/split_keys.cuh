#pragma once

// Splits a rank's keys, and what travels with them, by where they go: each class of a Split is an array of its own, in which items stay in
// their order. Each is read and written once. A block ranks the items of its tile by class, and looks back to learn how many the tiles
// before it have, as a radix pass does.

#include "kernels/multi/split_bounds.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/look_back.cuh"

namespace bitune {

/// A number below 512 of each class, in few registers: of so many classes as fit one word, and as many words as it takes.
template <u32 classes>
struct ClassNumbers {
  static constexpr bool few = classes <= 3;
  static constexpr int bits = few ? 10 : 9;
  static constexpr u32 of_word = few ? 3 : 7;
  static constexpr u32 count = (classes + of_word - 1) / of_word;
  using Word = typename Storage<few ? 4 : 8>::Raw;

  Word words[count] = {};

  /// Of a class, and adds 1 to it.
  BITUNE_DEVICE u32 take(u32 found) {
    u32 number = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i < count; ++i) {
      if (count != 1 && found / of_word != i) continue;
      const u32 shift = (count == 1 ? found : found % of_word) * bits;
      number = static_cast<u32>(words[i] >> shift) & ((1 << bits) - 1);
      words[i] += Word{1} << shift;
    }
    return number;
  }
  BITUNE_DEVICE u32 at(u32 found) const { return static_cast<u32>(words[found / of_word] >> (found % of_word * bits)) & ((1 << bits) - 1); }
  BITUNE_DEVICE void add(u32 found, u32 number) { words[found / of_word] += Word{number} << (found % of_word * bits); }

  /// Makes each the sum over the lanes before this one. Returns the sums over all lanes.
  BITUNE_DEVICE ClassNumbers add_up() {
    ClassNumbers sums;
    BITUNE_UNROLL
    for (u32 i = 0; i < count; ++i) {
      const Word own = words[i];
      BITUNE_UNROLL
      for (u32 distance = 1; distance < warp_size; distance *= 2) {
        const Word less = shuffle(words[i], lane() - distance);
        if (lane() >= distance) words[i] += less;
      }
      sums.words[i] = shuffle(words[i], warp_size - 1);
      words[i] -= own;
    }
    return sums;
  }
};

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

/// As LookBack::before, by all lanes of a warp: each looks at one of the blocks before.
template <class Sums>
BITUNE_DEVICE u64 sum_before(const Sums& sums, u32 block, u32 column) {
  for (u64 sum = 0;;) {
    const u64 found = block > lane() ? published(sums.place(block - 1 - lane(), column)) : u64{Sums::inclusive};
    const u32 missing = lanes_where(found == 0);
    const u32 inclusive = lanes_where((found & Sums::inclusive) != 0);
    // What counts is up to the first one that includes all before it, or before the first one that is not there yet.
    const u32 usable = (inclusive & (~inclusive + 1)) * 2 - 1;
    const u32 there = (missing & (~missing + 1)) - 1;
    u64 part = ((usable & there) >> lane() & 1) != 0 ? found & Sums::value : 0;
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) part += shuffle_xor(part, distance);
    sum += part;
    if (inclusive != 0 && (usable & there) == usable) return sum;
    block -= bit_count(usable & there);
  }
}

/// What a block of split_keys has in shared memory (layout::split_tile_parts).
template <class Raw, int nt, int vt, int parts>
struct SplitTile {
  static constexpr layout::SplitTileParts places = layout::split_tile_parts(nt, vt, sizeof(Raw), parts);
  static constexpr u32 of_warp = warp_size * vt;
  static constexpr u32 values = u32{1} << layout::split_class_bits(parts);

  u8* memory;

  template <class T>
  BITUNE_DEVICE T* at(layout::Size place) const {
    return reinterpret_cast<T*>(memory + place);
  }
  BITUNE_DEVICE u64* targets() const { return at<u64>(0); }
  BITUNE_DEVICE u64* words() const { return at<u64>(places.words); }
  BITUNE_DEVICE u32* first_of_equal() const { return at<u32>(places.first_of_equal); }
  BITUNE_DEVICE u32* ticket() const { return at<u32>(places.ticket); }
  BITUNE_DEVICE u32* overfull() const { return ticket() + 1; }
  BITUNE_DEVICE u16* warp_counts() const { return at<u16>(places.warp_counts); }
  /// Of this warp: where each item of the classes, one class behind the other, stands among all of its items.
  BITUNE_DEVICE u16* sources() const { return at<u16>(places.sources) + warp_index() * of_warp; }
  BITUNE_DEVICE Raw* keys() const { return at<Raw>(places.keys) + warp_index() * of_warp; }
};

/// Splits n keys, the first of which has the index `first` in the whole, and what travels with them: values of so many bytes (0: nothing), or,
/// with makes_indices, those indices. Order: the codec that keys are compared by. split: by choose_bounds. Several launches do it one after the
/// other: each takes the tiles of nt * vt keys that come next, a block each, up to `end_tile`. It writes how many items of each class there are
/// so far. What a class has no room for is only counted. ticket: 0 at first. states: what LookBack keeps of each tile's classes, 0 at first.
/// Dynamic shared memory: layout::split_tile_parts.
template <class Order, class Payload, int carried_bytes, bool makes_indices, int parts, int nt, int vt>
BITUNE_KERNEL(nt, 1024 / nt)
split_keys(typename Order::Raw* keys_out, typename CarriedValue<carried_bytes>::Type* values_out, const typename Order::Raw* keys_in,
           const typename CarriedValue<carried_bytes>::Type* values_in, u64 n, u64 first, const Split* split, u32* ticket, u64* states, u32 end_tile,
           u64* counts) {
  using Raw = typename Order::Raw;
  using Word = typename Order::Word;
  using Value = typename CarriedValue<carried_bytes>::Type;
  using Tile = SplitTile<Raw, nt, vt, parts>;
  constexpr u32 classes = layout::split_classes(parts);
  constexpr u32 values = Tile::values;
  constexpr u32 warps = nt / warp_size;
  constexpr u32 nv = u32{nt} * vt;
  static_assert(nt >= classes && classes < values && warps <= warp_size);
  const Tile shared{shared_memory<u8>()};
  const LookBack<u64, values, 1> sums{states};

  if (thread_index() == 0) {
    *shared.ticket() = atomic_add(ticket, 1);
    *shared.overfull() = 0;
  }
  sync_block();
  const u32 tile = *shared.ticket();
  const u64 begin = u64{tile} * nv + warp_index() * Tile::of_warp;  // of the warp
  const u32 count = begin < n ? items_in_tile(begin, n, Tile::of_warp) : 0;
  Raw* const keys = shared.keys();
  const Raw* const from = keys_in + begin + lane();
  if (count == Tile::of_warp) {
    Raw loaded[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) loaded[r] = from[r * warp_size];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) keys[lane() + r * warp_size] = loaded[r];
  } else {
    for (u32 i = lane(); i < count; i += warp_size) keys[i] = keys_in[begin + i];
  }
  // Of keys that equal a bound's only the first ones of the tile are below it.
  if (thread_index() + 1 < classes) {
    const SplitBound bound = split->bounds[thread_index()];
    const u64 index = first + u64{tile} * nv;
    shared.words()[thread_index()] = bound.word;
    shared.first_of_equal()[thread_index()] = bound.index <= index ? 0 : static_cast<u32>(minimum<u64>(bound.index - index, nv));
  }
  sync_block();

  // Each thread has some neighbours, an odd number, so that they are in banks of their own. It counts them by class, all in one register or two.
  static_assert(vt % 2 == 1 && Tile::of_warp < 512);
  Word words[classes - 1];
  i32 equal_from[classes - 1];  // of the thread's items
  BITUNE_UNROLL
  for (u32 bound = 0; bound + 1 < classes; ++bound) {
    words[bound] = static_cast<Word>(shared.words()[bound]);
    equal_from[bound] = static_cast<i32>(shared.first_of_equal()[bound]) - static_cast<i32>(warp_index() * Tile::of_warp + lane() * vt);
  }
  const Raw* const mine = keys + lane() * vt;
  const i32 there = static_cast<i32>(count) - static_cast<i32>(lane() * vt);  // of the thread's items
  ClassNumbers<classes> places;
  u32 found[vt];
  const auto count_one = [&](int r) {
    const Word word = Order::encode(mine[r]);
    found[r] = 0;
    BITUNE_UNROLL
    for (u32 bound = 0; bound + 1 < classes; ++bound) {
      found[r] += word > words[bound] || (word == words[bound] && r >= equal_from[bound]) ? 1 : 0;
    }
    places.take(found[r]);
  };
  for_each_there<vt>(count == Tile::of_warp, there, count_one);
  // Then it learns where its first item of each class goes, among the warp's, class by class.
  const ClassNumbers<classes> of_warp = places.add_up();
  u32 start = 0;
  BITUNE_UNROLL
  for (u32 i = 0; i < classes; ++i) {
    places.add(i, start);
    start += of_warp.at(i);
    if (lane() == i) shared.warp_counts()[warp_index() * values + i] = static_cast<u16>(of_warp.at(i));
  }
  sync_block();

  // A warp has a class: it learns where each warp's items go, and tells the tiles behind.
  for (u32 column = warp_index(); column < classes; column += warps) {
    const u32 own = lane() < warps ? shared.warp_counts()[lane() * values + column] : 0;
    u32 up_to = own;  // of the warps up to the lane's
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warps; distance *= 2) {
      const u32 less = shuffle(up_to, lane() - distance);
      if (lane() >= distance) up_to += less;
    }
    const u32 of_tile = shuffle(up_to, warps - 1);
    if (lane() == 0 && tile != 0) sums.publish_own(tile, column, of_tile);
    const u64 before = tile == 0 ? 0 : sum_before(sums, tile, column);
    const u64 target = split->begins[column] + before;
    if (lane() < warps) shared.targets()[lane() * values + column] = target + up_to - own;
    if (lane() == 0) {
      sums.publish_inclusive(tile, column, before + of_tile);
      if (target + of_tile > split->begins[column + 1]) *shared.overfull() = 1;
      if (tile + 1 == end_tile) counts[column] = before + of_tile;
    }
  }
  u16* const sources = shared.sources();
  const u32 source = lane() * vt;
  for_each_there<vt>(count == Tile::of_warp, there, [&](int r) { sources[places.take(found[r])] = static_cast<u16>(source + r); });
  sync_block();
  if (*shared.overfull() != 0) return;  // by the counts the host sees that all this is in vain

  start = 0;
  BITUNE_UNROLL
  for (u32 i = 0; i < classes; ++i) {
    const u32 end = start + of_warp.at(i);
    const u64 target = shared.targets()[warp_index() * values + i] - start;
    Raw* const keys_to = keys_out + target;
    Value* const values_to = values_out + target;
    BITUNE_UNROLL_N(4)
    for (u32 slot = start + lane(); slot < end; slot += warp_size) {
      const u32 source = sources[slot];
      keys_to[slot] = keys[source];
      if constexpr (makes_indices) {
        values_to[slot] = static_cast<Value>(first + begin + source);
      } else if constexpr (carried_bytes != 0) {
        values_to[slot] = (values_in + begin)[source];
      }
    }
    start = end;
  }
}

}  // namespace bitune
