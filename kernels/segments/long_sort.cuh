#pragma once

// All that is done to long segments, in one launch: only the device knows how many there are, and often there are none. The work has phases:
// a table of tiles, counting of digits, and a turn for each digit. Blocks take its parts in order. Before the first part of a phase a block
// waits until all parts of the phase before are done: others have taken these, and are at work.

#include "kernels/network/launch.cuh"
#include "kernels/segments/long_count.cuh"
#include "kernels/segments/long_pass.cuh"

namespace bitune {

/// The work on the listed segments.
template <int nt, int vt, int bits, class Counts_>
struct LongWork {
  using Counts = Counts_;
  static constexpr u32 values = layout::digit_values(bits);
  static constexpr u32 tile_keys = u32{nt} * vt;
  static constexpr u32 map = 0;  ///< phases
  static constexpr u32 count = 1;
  static constexpr u32 first_turn = layout::phases_before_turns();
  static constexpr u32 phases = first_turn + Counts::turns;
  static constexpr u32 none = phases + 1;  ///< what a block is in before its first phase

  LongTile* tiles;
  const LongSegment* listed;
  Counts counts;

  /// Parts of a phase, of so many tiles. Of mapping: a tile for each warp. Of counting: neighbouring tiles.
  BITUNE_DEVICE static u32 parts(u32 phase, u32 all) {
    return phase == map ? (all + nt / warp_size - 1) / (nt / warp_size) : phase == count ? minimum(all, block_count()) : all;
  }

  /// Takes the next part, by one thread. Behind the last one there is one of phase `phases`.
  BITUNE_DEVICE void take(PartAtWork* work) const {
    const u32 all = work->tiles();
    u32 number = atomic_add(&work->counters->taken, 1);
    u32 phase = map;
    while (phase < phases && number >= parts(phase, all)) number -= parts(phase++, all);
    work->phase = phase;
    work->number = number;
    work->goes_on = phase == work->at_work ? 1 : 0;
    ++work->done;
    if (work->goes_on != 0 && phase >= first_turn) work->fetch_tile(tiles);
  }

  /// Does what this block has taken of a phase, once the phase before is done. do_part(): does a part, by all threads, takes the next one, and
  /// ends with a barrier. What it needs to know of the phase is in shared memory.
  template <class DoPart>
  BITUNE_DEVICE void do_phase(PartAtWork* work, const DoPart& do_part) const {
    if (thread_index() == 0) {
      const u32 phase = work->phase;
      while (phase != map && acquired(work->counters->done + phase - 1) != parts(phase - 1, work->tiles())) {
      }
      work->at_work = phase;
      work->done = 0;
      if (phase >= first_turn) {
        work->fetch_tile(tiles);
        cp_async_wait_all();
      }
    }
    sync_block();
    do do_part();
    while (work->goes_on != 0);
    if (thread_index() == 0 && work->at_work + 1 != phases) add_released(work->counters->done + work->at_work, work->done);
  }
};

/// Where buckets of segments begin and end, which one turn brings keys to: bucket d of segment s is at s * values + d.
struct BucketBounds {
  u64* begins;
  u64* ends;

  /// counted: how many keys of the segment have each digit. smaller: how many have a smaller one. By the block's nt threads.
  template <int nt, u32 values, class Counter>
  BITUNE_DEVICE void write(const LongTile& tile, const Counter* counted, const Counter* smaller) const {
    for (u32 digit = thread_index(); digit < values; digit += nt) {
      const u64 begin = tile.begin + smaller[digit];
      begins[u64{tile.segment} * values + digit] = begin;
      ends[u64{tile.segment} * values + digit] = begin + counted[digit];
    }
  }
};

/// The arrays of a sort in turns: the first one reads `input` and writes `first`; later ones write `second` and `third` alternately, and read
/// what was written last.
template <class Item>
struct TurnArrays {
  Item* first;
  Item* second;
  Item* third;
  const Item* input;

  BITUNE_DEVICE Item* to(u32 turn) const { return turn == 0 ? first : turn % 2 == 1 ? second : third; }
  BITUNE_DEVICE const Item* from(u32 turn) const { return turn == 0 ? input : to(turn - 1); }
};

/// What the turns read and write where nothing travels with the keys.
template <class Codec_>
struct LongKeys {
  using Codec = Codec_;
  static constexpr bool first_differs = false;  ///< whether the first turn reads, or the last one writes, what others do not
  static constexpr bool last_differs = false;
  TurnArrays<typename Codec::Raw> keys;

  template <class Kind>
  using Traffic = KeyTraffic<Codec>;

  /// Of the keys of the call from `begin` on.
  template <class Kind>
  BITUNE_DEVICE Traffic<Kind> at(u32 turn, u64 begin) const {
    return {keys.to(turn) + begin, keys.from(turn) + begin};
  }
};

/// Does the work. Items: LongKeys, or what travels with them. makes_buckets: there is one turn, and all listed segments have several tiles.
template <class Items, bool makes_buckets, int nt, int vt, int bits, int loads, int copies, bool allows_next_early, class Counts>
BITUNE_DEVICE void sort_long_segments(const LongWork<nt, vt, bits, Counts>& all, ListCounters* counters, const Items& items,
                                      const BucketBounds& bounds) {
  using Codec = typename Items::Codec;
  using SomeTraffic = typename Items::template Traffic<TurnKind<false, false>>;
  using Work = LongWork<nt, vt, bits, Counts>;
  using Counter = typename Counts::Counter;
  constexpr u32 turns = Counts::turns;
  using Tile = RadixTile<Codec, Counter, nt, vt, bits, SomeTraffic::slot_bytes()>;
  using Counters = DigitCounters<SomeTraffic, nt, bits, Counts::first_pass, turns, copies>;
  constexpr layout::LongBlockParts parts = layout::long_block_parts(Tile::parts(), Counters::words * sizeof(u32));
  constexpr int vector = 16 / sizeof(typename Codec::Raw);
  constexpr int vectors = 4;  // that a thread loads at once
  static_assert(!makes_buckets || turns == 1);
  u8* const memory = shared_memory<u8>();
  const Tile tile(reinterpret_cast<typename Codec::Word*>(memory));
  const Counters counted{reinterpret_cast<u32*>(memory)};
  PartAtWork* const work = reinterpret_cast<PartAtWork*>(memory + parts.work);
  begin_launch_of_plan<allows_next_early>();
  if (LongSegments{nullptr, counters, 0}.tiles() == 0) return;
  const auto take_next = [&] {
    sync_block();
    if (thread_index() == 0) all.take(work);
    sync_block();
  };
  if (thread_index() == 0) {
    work->counters = counters;
    work->at_work = Work::none;  // else take() might fetch a tile of a table that is not written yet
    all.take(work);
  }
  sync_block();
  if (work->phase == Work::map) {
    all.do_phase(work, [&] {
      const u32 own = work->number * (nt / warp_size) + warp_index();
      if (own < work->tiles()) {
        map_long_tile<Work::tile_keys, turns, Work::values>(own, all.tiles, all.listed, LongSegments{nullptr, work->counters, 0}.count(),
                                                            all.counts.digits, all.counts.states);
      }
      take_next();
    });
  }
  if (work->phase == Work::count) {
    all.do_phase(work, [&] {
      const u64 tiles = work->tiles();
      const u32 share = Work::parts(Work::count, work->tiles());
      count_long_tiles<Counters, vector, vectors, Work::tile_keys>(counted, static_cast<u32>(tiles * work->number / share),
                                                                   static_cast<u32>(tiles * (work->number + 1) / share), all.tiles,
                                                                   items.keys.input, all.counts.digits);
      take_next();
    });
  }
  const auto do_turn = [&](auto kind) {
    using Kind = decltype(kind);
    using Traffic = typename Items::template Traffic<Kind>;
    all.do_phase(work, [&] {
      sort_long_tile<Kind, Traffic, nt, vt, bits, loads>(
          all.counts, tile, work, [&](u32 turn, u64 begin) { return items.template at<Kind>(turn, begin); },
          [&](const LongTile& first, const Counter* smaller) {
            if constexpr (makes_buckets) bounds.write<nt, Work::values>(first, all.counts.digits + u64{first.segment} * Work::values, smaller);
          },
          [&] { all.take(work); });
    });
  };
  constexpr u32 end = Work::phases - (Items::last_differs ? 1 : 0);  // of what all turns but the first and the last do
  constexpr bool is_one = turns == 1 && Items::last_differs;
  if constexpr (Items::first_differs) {
    if (work->phase == Work::first_turn) do_turn(TurnKind<true, is_one>{});
  }
  while (work->phase < end) do_turn(TurnKind<false, false>{});
  if constexpr (Items::last_differs && !(Items::first_differs && is_one)) {
    if (work->phase == end) do_turn(TurnKind<false, true>{});
  }
}

/// Sorts the keys of each listed segment by the digits of `turns` passes from first_pass on. Tiles have nt * vt keys, at most 2^16. tiles, digits
/// and states: room for what the phases tell each other (LongWork); nothing of it needs to be cleared. makes_buckets: see
/// sort_long_segments; begins, ends: BucketBounds. No turn writes what it reads. Any grid. Dynamic shared memory: layout::long_block_parts.
template <class Codec, class Payload, bool makes_buckets, int nt, int vt, int bits, int loads, int first_pass, int turns, int copies,
          int counter_bytes, int min_blocks, bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
sort_long_keys(typename Codec::Raw* first, typename Codec::Raw* second, typename Codec::Raw* third, const typename Codec::Raw* input, u64* begins,
               u64* ends, LongTile* tiles, const LongSegment* listed, ListCounters* counters, typename Storage<counter_bytes>::Word* digits,
               typename Storage<counter_bytes>::Word* states, u32 most_tiles) {
  using Counter = typename Storage<counter_bytes>::Word;
  const LongWork<nt, vt, bits, LongCounts<Counter, first_pass, turns>> work{tiles, listed, {digits, states, most_tiles}};
  sort_long_segments<LongKeys<Codec>, makes_buckets, nt, vt, bits, loads, copies, allows_next_early>(
      work, counters, {{first, second, third, input}}, {begins, ends});
}

}  // namespace bitune
