#pragma once

// A turn over all long segments puts the keys of each in the order of one digit, as radix_pass does those of one array. Tiles look back
// over the tiles of their own segment alone.

#include "kernels/network/block_sum.cuh"
#include "kernels/radix/radix_pass.cuh"
#include "kernels/segments/long_tiles.cuh"

namespace bitune {

/// A part of the work that a block has taken, in shared memory behind its tile (layout::LongBlockParts): whoever needs to know something of it
/// reads it there, since registers are dear.
struct PartAtWork {
  LongTile tile;  ///< where the part is a tile in a turn
  u32 phase;      ///< which the part is of
  u32 number;     ///< which of the phase's parts it is: a tile's number among all
  u32 at_work;    ///< the phase that the block is in
  u32 done;       ///< parts of this that the block has done before it goes on to another one
  u64 goes_on;    ///< whether the part is of the phase that the block is in
  ListCounters* counters;  ///< what all blocks tell each other

  BITUNE_DEVICE u32 tiles() const { return LongSegments{nullptr, counters, 0}.tiles(); }

  /// How many of the segment's keys are before the tile's.
  BITUNE_DEVICE u64 before(u32 tile_keys) const { return u64{tile.index} * tile_keys; }
  BITUNE_DEVICE u32 count(u32 tile_keys) const { return items_in_tile(before(tile_keys), tile.length, tile_keys); }
  BITUNE_DEVICE bool is_alone(u32 tile_keys) const { return tile.length <= tile_keys; }
  BITUNE_DEVICE u32 turn() const { return at_work - layout::phases_before_turns(); }

  /// Begins to fetch the tile, by one thread. It is there when the thread has waited for its copies.
  BITUNE_DEVICE void fetch_tile(const LongTile* tiles) {
    static_assert(sizeof(LongTile) == 3 * sizeof(u64));
    BITUNE_UNROLL
    for (int i = 0; i < 3; ++i) cp_async(reinterpret_cast<u64*>(&tile) + i, reinterpret_cast<const u64*>(tiles + number) + i);
  }
};
static_assert(sizeof(PartAtWork) == layout::part_at_work_bytes());

/// What all blocks share.
template <class Counter_, int first_pass_, int turns_>
struct LongCounts {
  using Counter = Counter_;
  static constexpr u32 first_pass = first_pass_;  ///< whose digit is sorted by in turn 0
  static constexpr u32 turns = turns_;
  Counter* digits;  ///< [listed segments][turns][values]: how many keys have the digit
  Counter* states;  ///< [2][most_tiles][values]: LookBack's, for even and for odd turns; a turn's half is 0 at first
  u64 most_tiles;
};

/// Which of all turns one is, as far as it matters to what is read and written. Numbers of the first and the last one are constants.
template <bool is_first_, bool is_last_>
struct TurnKind {
  static constexpr bool is_first = is_first_;
  static constexpr bool is_last = is_last_;

  template <class Counts>
  BITUNE_DEVICE static u32 number(const Counts& /*counts*/, const PartAtWork* work) {
    return is_first ? 0 : is_last ? Counts::turns - 1 : work->turn();
  }
};

/// Loads a tile as load_by_warps does. Tiles that are not full are not rare here: so all loads are under way before the first key is used.
template <class Codec, int nt, int vt>
BITUNE_DEVICE void load_part_by_warps(const typename Codec::Raw* tile, u32 count, typename Codec::Word (&words)[vt]) {
  const u32 first = warp_index() * (warp_size * vt) + lane();
  typename Codec::Raw raw[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    raw[r] = Codec::decode(Codec::padding);
    if (first + r * warp_size < count) raw[r] = tile[first + r * warp_size];
  }
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) words[r] = Codec::encode(raw[r]);
}

/// Sorts the tile of `work` by the digit of the turn that the block is in, to its segment's memory. traffic_at(turn, begin): what is read and
/// written of the keys of the call from `begin` on. bounds_of(segment, smaller): called by all threads of the block that has the segment's first tile, if it has several; in
/// shared memory is how many keys have a smaller digit. take(): called by one thread, when `work` may become the next part. Ends with a barrier.
template <class Kind, class Traffic, int nt, int vt, int bits, int loads, class Counts, class Tile, class TrafficAt, class BoundsOf, class Take>
BITUNE_DEVICE void sort_long_tile(const Counts& counts, const Tile& tile, const PartAtWork* work, TrafficAt traffic_at, BoundsOf bounds_of,
                                  Take take) {
  using Counter = typename Counts::Counter;
  const auto turn = [&] { return Kind::number(counts, work); };
  using Codec = typename Traffic::Codec;
  using Digit = Digits<Codec, bits>;
  using Sums = LookBack<Counter, Digit::values, loads>;
  constexpr u32 values = Digit::values;
  constexpr u32 of_thread = (values + nt - 1) / nt;  // digits that a thread adds up
  constexpr u32 nv = u32{nt} * vt;
  typename Codec::Word words[vt];
  const auto* const keys = traffic_at(turn(), work->tile.begin).input + work->before(nv);
  if (work->count(nv) == nv) {
    load_by_warps<Codec, nt>(keys, TilePart<vt>{0, nv, work->tile.index}, words);
  } else {
    load_part_by_warps<Codec, nt>(keys, work->count(nv), words);
  }

  u32 ranks[vt];
  for (u32 i = lane(); i < values; i += warp_size) tile.ranks[warp_index() * values + i] = 0;
  sync_warp();  // a vote comes before the next read
  if (all_of_warp(warp_index() * (warp_size * vt) < work->count(nv))) {
    rank_in_warp<Traffic, Digit, bits>(words, vt, Counts::first_pass + turn(), tile.ranks, ranks);
  } else {
    // There is nothing to rank. What these warps have instead goes behind the last digit's keys, to a place of each thread's own.
    const u32 empty_before = warp_index() - (work->count(nv) + warp_size * vt - 1) / (warp_size * vt);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) ranks[r] = (warp_index() * values + values - 1) << 16 | (empty_before * warp_size + lane());
  }
  sync_block();

  // Each thread has some digits. The count of a warp's keys with a digit becomes the place in the tile where these keys begin.
  const u32 index = work->tile.index;
  Counter* const of_segment = counts.states + u64{work->number - index} * values;
  const Sums sums{of_segment + turn() % 2 * counts.most_tiles * values};
  const Sums next{of_segment + (turn() + 1) % 2 * counts.most_tiles * values};
  u32 of_tile[of_thread];
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    of_tile[i] = 0;
    if (digit >= values) break;
    BITUNE_UNROLL
    for (u32 warp = 0; warp < tile.warps; ++warp) of_tile[i] += tile.ranks[warp * values + digit];
    if (work->is_alone(nv)) continue;
    if (index != 0) sums.publish_own(index, digit, of_tile[i]);
    if (Counts::turns > 1) *next.place(index, digit) = 0;
  }
  u32 first[of_thread];
  GroupPrefixSum<ThreadGroup<nt, 1>> keys_before(tile.scratch);
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    first[i] = keys_before(of_tile[i]);
    if (digit >= values) continue;
    u32 place = first[i];
    BITUNE_UNROLL
    for (u32 warp = 0; warp < tile.warps; ++warp) {
      u16& of_warp = tile.ranks[warp * values + digit];
      const u32 keys = of_warp;
      of_warp = static_cast<u16>(place);
      place += keys;
    }
  }
  sync_block();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 place = tile.ranks[ranks[r] >> 16] + (ranks[r] & 0xffff);
    tile.words[place] = words[r];
    ranks[r] = place;
  }
  typename Traffic::Value carried[vt];
  traffic_at(turn(), work->tile.begin).template load_values<nt>(TilePart<vt>{work->before(nv), work->count(nv), index}, carried);

  // Looking back comes after the tile is put together, since other blocks have published more by then.
  const bool is_alone = work->is_alone(nv);
  if (index == 0 && !is_alone) {
    count_smaller_digits<nt, values>(counts.digits + (u64{work->tile.segment} * Counts::turns + turn()) * values, tile.targets);
    bounds_of(work->tile, tile.targets);
  }
  const u32 count = work->count(nv);
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    if (digit >= values) break;
    Counter before = first[i];
    if (!is_alone) {
      before = index == 0 ? tile.targets[digit] : sums.before(index, digit);
      // Segments may overlap where offsets are wrong, so that keys are not those that were counted. None leaves its segment.
      const u32 keys = minimum(first[i] + of_tile[i], count) - minimum(first[i], count);
      before = minimum<Counter>(before, static_cast<Counter>(work->tile.length) - keys);
      sums.publish_inclusive(index, digit, before + of_tile[i]);
    }
    tile.targets[digit] = static_cast<Counter>(work->tile.begin) + before - first[i];
  }
  sync_block();
  if (thread_index() == 0) take();
  traffic_at(turn(), 0).template write<nt, Digit>(tile, Counts::first_pass + turn(), TilePart<vt>{0, count, index}, ItemPlaces<vt>{ranks}, carried);
  if (thread_index() == 0) cp_async_wait_all();
  sync_block();
}

}  // namespace bitune
