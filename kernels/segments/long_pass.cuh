#pragma once

// A pass over all long segments puts the keys of each in the order of one digit, as radix_pass does those of one array. Tiles look back
// over the tiles of their own segment alone. Blocks take tile after tile, since only the device knows how many there are.

#include "kernels/network/block_sum.cuh"
#include "kernels/radix/radix_pass.cuh"
#include "kernels/segments/long_tiles.cuh"

namespace bitune {

/// The tile that a block sorts, in shared memory behind RadixTile's parts: whoever needs to know something of it reads it there, since
/// registers are dear.
struct TileAtWork {
  LongTile tile;
  u32 number;  ///< of all tiles

  /// How many of the segment's keys are before the tile's.
  BITUNE_DEVICE u64 before(u32 tile_keys) const { return u64{tile.index} * tile_keys; }
  BITUNE_DEVICE u32 count(u32 tile_keys) const { return items_in_tile(before(tile_keys), tile.length, tile_keys); }
  BITUNE_DEVICE bool is_alone(u32 tile_keys) const { return tile.length <= tile_keys; }
};
static_assert(sizeof(TileAtWork) == layout::tile_at_work_bytes());

/// What all blocks of the passes share.
template <class Counter>
struct LongPasses {
  const LongTile* tiles;
  ListCounters* counters;
  u32* tickets;           ///< of each pass
  const Counter* digits;  ///< [listed segments][passes][values]: how many keys have the digit
  Counter* states;        ///< [2][most_tiles][values]: LookBack's, for even and for odd passes
  u64 most_tiles;

  BITUNE_DEVICE u32 tile_count() const { return LongSegments{nullptr, counters, 0}.tiles(); }

  /// The next tile, which is there when the thread has waited for its copies; or a number behind all tiles. A block that waits for a tile
  /// before its own waits for one that a block has begun, or will, when it is done with one before that.
  BITUNE_DEVICE void take_tile(u32 pass, TileAtWork* work) const {
    work->number = atomic_add(tickets + pass, 1);
    if (work->number >= tile_count()) return;
    static_assert(sizeof(LongTile) == 3 * sizeof(u64));
    BITUNE_UNROLL
    for (int i = 0; i < 3; ++i) cp_async(reinterpret_cast<u64*>(&work->tile) + i, reinterpret_cast<const u64*>(tiles + work->number) + i);
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

/// Sorts `work` by digit `pass` to its segment's memory; then `work` is the next tile. traffic_at(begin): what is read and written of the
/// keys of the call from `begin` on.
template <class Traffic, int nt, int vt, int bits, int loads, class Counter, class Tile, class TrafficAt>
BITUNE_DEVICE void sort_long_tile(const LongPasses<Counter>& passes, u32 pass, const Tile& tile, TileAtWork* work, TrafficAt traffic_at) {
  using Codec = typename Traffic::Codec;
  using Digit = Digits<Codec, bits>;
  using Sums = LookBack<Counter, Digit::values, loads>;
  constexpr u32 values = Digit::values;
  constexpr u32 of_thread = (values + nt - 1) / nt;  // digits that a thread adds up
  constexpr u32 nv = u32{nt} * vt;
  typename Codec::Word words[vt];
  const auto* const keys = traffic_at(work->tile.begin).input + work->before(nv);
  if (work->count(nv) == nv) {
    load_by_warps<Codec, nt>(keys, TilePart<vt>{0, nv, work->tile.index}, words);
  } else {
    load_part_by_warps<Codec, nt>(keys, work->count(nv), words);
  }

  u32 ranks[vt];
  for (u32 i = lane(); i < values; i += warp_size) tile.ranks[warp_index() * values + i] = 0;
  sync_warp();  // a vote comes before the next read
  if (all_of_warp(warp_index() * (warp_size * vt) < work->count(nv))) {
    rank_in_warp<Traffic, Digit, bits>(words, vt, pass, tile.ranks, ranks);
  } else {
    // There is nothing to rank. What these warps have instead goes behind the last digit's keys, to a place of each thread's own.
    const u32 empty_before = warp_index() - (work->count(nv) + warp_size * vt - 1) / (warp_size * vt);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) ranks[r] = (warp_index() * values + values - 1) << 16 | (empty_before * warp_size + lane());
  }
  sync_block();

  // Each thread has some digits. The count of a warp's keys with a digit becomes the place in the tile where these keys begin.
  const u32 index = work->tile.index;
  Counter* const of_segment = passes.states + u64{work->number - index} * values;
  const Sums sums{of_segment + pass % 2 * passes.most_tiles * values};
  const Sums next{of_segment + (pass + 1) % 2 * passes.most_tiles * values};
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
    if (pass + 1 < Digit::passes) *next.place(index, digit) = 0;
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
  traffic_at(work->tile.begin).template load_values<nt>(TilePart<vt>{work->before(nv), work->count(nv), index}, carried);

  // Looking back comes after the tile is put together, since other blocks have published more by then.
  const bool is_alone = work->is_alone(nv);
  if (index == 0 && !is_alone) {
    count_smaller_digits<nt, values>(passes.digits + (u64{work->tile.segment} * Digit::passes + pass) * values, tile.targets);
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
  if (thread_index() == 0) passes.take_tile(pass, work);
  traffic_at(0).template write<nt, Digit>(tile, pass, TilePart<vt>{0, count, index}, ItemPlaces<vt>{ranks}, carried);
  if (thread_index() == 0) cp_async_wait_all();
  sync_block();
}

/// A pass over all long segments: see radix_pass. Blocks take tiles in their order until none is left.
template <class Traffic, int nt, int vt, int bits, int loads, bool allows_next_early, class Counter, class TrafficAt>
BITUNE_DEVICE void sort_long_tiles(const LongPasses<Counter>& passes, u32 pass, TrafficAt traffic_at) {
  using Word = typename Traffic::Word;
  using Tile = RadixTile<typename Traffic::Codec, Counter, nt, vt, bits, Traffic::slot_bytes()>;
  u8* const memory = shared_memory<u8>();
  const Tile tile(reinterpret_cast<Word*>(memory));
  TileAtWork* const work = reinterpret_cast<TileAtWork*>(memory + layout::tile_at_work_begin(Tile::parts()));
  begin_launch_of_plan<allows_next_early>();
  const u32 tiles = passes.tile_count();
  if (block_index() >= tiles) return;  // the others take all there are
  if (thread_index() == 0) {
    passes.take_tile(pass, work);
    cp_async_wait_all();
  }
  sync_block();
  while (work->number < tiles) sort_long_tile<Traffic, nt, vt, bits, loads>(passes, pass, tile, work, traffic_at);
}

/// Sorts the keys of each listed segment by digit `pass`, from `input` to `output`, which is other memory. Tiles have nt * vt keys, at most
/// 2^16. tiles, tickets, digits and states: what map_long_tiles and count_long_digits made. This pass's half of the states is 0 at first,
/// and it clears the next one's. Any grid. Dynamic shared memory: RadixTile's, and a TileAtWork.
template <class Codec, class Payload, int nt, int vt, int bits, int loads, int counter_bytes, int min_blocks,
          bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
long_radix_pass(typename Codec::Raw* output, const typename Codec::Raw* input, u32 pass, const LongTile* tiles, ListCounters* counters,
                u32* tickets, const typename Storage<counter_bytes>::Word* digits, typename Storage<counter_bytes>::Word* states,
                u32 most_tiles) {
  using Traffic = KeyTraffic<Codec>;
  const LongPasses<typename Storage<counter_bytes>::Word> passes{tiles, counters, tickets, digits, states, most_tiles};
  sort_long_tiles<Traffic, nt, vt, bits, loads, allows_next_early>(
      passes, pass, [&](u64 begin) { return Traffic{output + begin, input + begin}; });
}

}  // namespace bitune
