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

/// Counts a warp's items by class, register by register of its lanes. All lanes take part.
template <u32 classes>
struct ClassRanks {
  static constexpr int bits = layout::split_class_bits((classes + 1) / 2);
  WarpRanks<bits> ranks;

  BITUNE_DEVICE explicit ClassRanks(u16* of_block) : ranks(of_block) {}

  /// How many of the warp's items of this one's class come before it. A number behind all classes: it is none.
  BITUNE_DEVICE u32 before(u32 found) { return ranks.count(found); }
  BITUNE_DEVICE void finish(u32 /*items*/) {}
};

/// Of two parts, with what is at the cut between them: counted in registers, where each item costs a few instructions. Items that are none are behind
/// all others.
template <>
struct ClassRanks<3> {
  static constexpr int bits = layout::split_class_bits(2);
  u16* counters;
  u32 first = 0;
  u32 last = 0;
  u32 all = 0;

  BITUNE_DEVICE explicit ClassRanks(u16* of_block) : counters(of_block + warp_index() * (1 << bits)) {}

  BITUNE_DEVICE u32 before(u32 found) {
    const u32 of_first = lanes_where(found == 0);
    const u32 of_last = lanes_where(found == 2);
    const u32 same = found == 0 ? of_first : found == 2 ? of_last : ~(of_first | of_last);
    const u32 earlier = found == 0 ? first : found == 2 ? last : all - first - last;
    first += bit_count(of_first);
    last += bit_count(of_last);
    all += warp_size;
    return earlier + bit_count(same & lanes_before());
  }
  /// Writes the counts. items: of the warp.
  BITUNE_DEVICE void finish(u32 items) {
    if (lane() == 0) {
      counters[0] = static_cast<u16>(first);
      counters[1] = static_cast<u16>(items - first - last);
      counters[2] = static_cast<u16>(last);
    }
  }
};

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
template <int nt, int parts>
struct SplitTile {
  static constexpr layout::SplitTileParts places = layout::split_tile_parts(nt, parts);

  u8* memory;

  template <class T>
  BITUNE_DEVICE T* at(layout::Size place) const {
    return reinterpret_cast<T*>(memory + place);
  }
  BITUNE_DEVICE u64* targets() const { return at<u64>(0); }
  BITUNE_DEVICE u64* words() const { return at<u64>(places.words); }
  BITUNE_DEVICE u32* first_of_equal() const { return at<u32>(places.first_of_equal); }
  BITUNE_DEVICE u16* counters() const { return at<u16>(places.counters); }
  BITUNE_DEVICE u32* ticket() const { return at<u32>(places.ticket); }
  BITUNE_DEVICE u32* overfull() const { return at<u32>(places.ticket) + 1; }
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
  constexpr u32 classes = layout::split_classes(parts);
  constexpr int bits = layout::split_class_bits(parts);
  constexpr u32 values = u32{1} << bits;
  constexpr u32 warps = nt / warp_size;
  constexpr u32 nv = u32{nt} * vt;
  static_assert(nt >= values && classes < values && warps <= warp_size);
  const SplitTile<nt, parts> shared{shared_memory<u8>()};
  const LookBack<u64, values, 4> sums{states};

  if (thread_index() == 0) *shared.ticket() = atomic_add(ticket, 1);
  for (u32 i = thread_index(); i < warps * values; i += nt) shared.counters()[i] = 0;
  sync_block();
  const u32 tile = *shared.ticket();
  const u64 begin = u64{tile} * nv;
  const u32 count = items_in_tile(begin, n, nv);
  const u32 mine = warp_index() * (warp_size * vt) + lane();  // register r of a lane has item mine + 32 r
  if (thread_index() + 1 < classes) {
    const SplitBound bound = split->bounds[thread_index()];
    const u64 index = first + begin;  // of the tile's first item
    shared.words()[thread_index()] = bound.word;
    shared.first_of_equal()[thread_index()] = bound.index <= index ? 0 : static_cast<u32>(minimum<u64>(bound.index - index, nv));
  }
  if (thread_index() == 0) *shared.overfull() = 0;
  Raw keys[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = mine + r * warp_size;
    keys[r] = i < count ? keys_in[begin + i] : Raw{0};
  }
  sync_block();

  // An item is of the class behind all bounds that are not above it. Of keys that equal a bound's only the first ones of the tile are below it.
  constexpr int place_bits = 12;  // a warp has fewer items
  static_assert(warp_size * vt < 1 << place_bits && place_bits + bits <= 16);
  Halves<vt> places;  // how many of the warp's items of the class come before, and above that the class
  ClassRanks<classes> of_warp(shared.counters());
  constexpr bool few = classes <= 3;  // registers hold their bounds
  Word words[few ? classes - 1 : 1];
  u32 firsts[few ? classes - 1 : 1];
  BITUNE_UNROLL
  for (u32 bound = 0; few && bound + 1 < classes; ++bound) {
    words[bound] = static_cast<Word>(shared.words()[bound]);
    firsts[bound] = shared.first_of_equal()[bound];
  }
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = mine + r * warp_size;
    const Word word = Order::encode(keys[r]);
    u32 found = 0;
    BITUNE_UNROLL
    for (u32 bound = 0; bound + 1 < classes; ++bound) {
      const Word other = few ? words[few ? bound : 0] : static_cast<Word>(shared.words()[bound]);
      const u32 first_equal = few ? firsts[few ? bound : 0] : shared.first_of_equal()[bound];
      found += word > other || (word == other && i >= first_equal) ? 1 : 0;
    }
    if (i >= count) found = classes;
    places.put(r, found << place_bits | of_warp.before(found));
  }
  const u32 of_warps_before = warp_index() * (warp_size * vt);
  of_warp.finish(count > of_warps_before ? minimum<u32>(count - of_warps_before, warp_size * vt) : 0);
  sync_block();

  // A warp has a class: it learns where each warp's items go, and tells the tiles behind.
  for (u32 found = warp_index(); found < classes; found += warps) {
    const u32 own = lane() < warps ? shared.counters()[lane() * values + found] : 0;
    u32 up_to = own;  // of the warps up to the lane's
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warps; distance *= 2) {
      const u32 less = shuffle(up_to, lane() - distance);
      if (lane() >= distance) up_to += less;
    }
    const u32 of_tile = shuffle(up_to, warps - 1);
    if (lane() == 0 && tile != 0) sums.publish_own(tile, found, of_tile);
    const u64 before = tile == 0 ? 0 : sum_before(sums, tile, found);
    const u64 target = split->begins[found] + before;
    if (lane() < warps) shared.targets()[lane() * values + found] = target + up_to - own;
    if (lane() == 0) {
      sums.publish_inclusive(tile, found, before + of_tile);
      if (target + of_tile > split->begins[found + 1]) *shared.overfull() = 1;
      if (tile + 1 == end_tile) counts[found] = before + of_tile;
    }
  }
  sync_block();
  if (*shared.overfull() != 0) return;  // by the counts the host sees that all this is in vain

  // Neighbours of a class are written side by side, by a warp some tens of bytes of each class.
  const u64* const targets = shared.targets() + warp_index() * values;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = mine + r * warp_size;
    if (i >= count) continue;
    const u64 place = targets[places.at(r) >> place_bits] + places.at(r) % (1 << place_bits);
    keys_out[place] = keys[r];
    if constexpr (makes_indices) {
      values_out[place] = static_cast<Value>(first + begin + i);
    } else if constexpr (carried_bytes != 0) {
      values_out[place] = values_in[begin + i];
    }
  }
}

}  // namespace bitune
