#pragma once

// A pass of the radix variant puts all keys in the order of one digit. Keys with equal digits stay in their order. Each key is read and
// written once ("Onesweep": A. Adinets, D. Merrill, 2022). A block ranks the keys of its tile. It looks back to learn how many keys with
// each digit the tiles before it have. Then it writes its keys from shared memory, where keys with equal digits are neighbours.

#include "kernels/network/block_sum.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/platform/platform.cuh"
#include "kernels/radix/look_back.cuh"
#include "kernels/radix/radix_tile.cuh"

namespace bitune {

/// What a pass reads and writes: here keys alone. radix_pairs_pass.cuh has what travels with values.
template <class Codec_>
struct KeyTraffic {
  using Codec = Codec_;
  using Word = typename Codec::Word;
  struct Value {};  ///< what travels with a key
  BITUNE_DEVICE static constexpr layout::Size slot_bytes() { return sizeof(Word); }
  BITUNE_DEVICE static constexpr layout::Size item_bytes() { return sizeof(Word); }

  typename Codec::Raw* output;
  const typename Codec::Raw* input;

  /// The word whose digits are sorted by. Padding has the largest digit of all in each pass, as in Digits.
  BITUNE_DEVICE static Word ordered(Word word) { return word; }

  /// Asks for the `count` items from `begin` on, as ask_for does.
  template <int nt>
  BITUNE_DEVICE void ask_for_items(u64 begin, u32 count) const {
    ask_for<nt>(input + begin, count * sizeof(typename Codec::Raw));
  }

  /// The values of the tile's keys, in the registers that load_by_warps gives their keys.
  template <int nt, int vt, class Span>
  BITUNE_DEVICE void load_values(const Span& /*span*/, Value (&/*values*/)[vt]) const {}

  /// Writes a tile that is in order in shared memory. places: where in it each register's key is, as an ItemPlaces has it.
  template <int nt, class Digit, int vt, class Tile, class Span, class Places>
  BITUNE_DEVICE void write(const Tile& tile, u32 pass, const Span& span, Places /*places*/, const Value (&/*values*/)[vt]) const {
    const auto write_one = [&](u32 i) {
      const Word word = tile.words[i];
      output[tile.targets[Digit::of(word, pass)] + i] = Codec::decode(word);
    };
    const u32 count = span.count();
    if (count == u32{nt} * vt) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) write_one(thread_index() + r * nt);
    } else {
      for (u32 i = thread_index(); i < count; i += nt) write_one(i);
    }
  }
};

/// What the blocks of a pass share.
template <class Counter>
struct PassCounts {
  const Counter* digits;  ///< [passes][values]: what count_digits found
  Counter* states;        ///< [2][tiles][values]: LookBack's, for even and for odd turns
  u32 tiles;
  u32 turn;  ///< which of all passes over the keys this is; its half of the states is 0 at first
};

/// Sorts the tile of n keys that `span` tells, and what travels with them, by digit `pass`. The counters of the tile are 0, and a barrier is
/// behind that. prefetch: the tile so many tiles behind this one is asked for; 0: none is. is_last: whether no turn comes behind this one, whose
/// half of the states is to be 0. packed: see packs_radix_places. before_writing: called by all threads of the block when none needs the
/// tile's ticket in shared memory any more.
template <class Traffic, int nt, int vt, int bits, int loads, int prefetch, bool packed, class Counter, class Tile, class Span,
          class IsLast, class BeforeWriting>
BITUNE_DEVICE void sort_tile_by_digit(const Traffic& traffic, u64 n, u32 pass, const PassCounts<Counter>& counts, const Tile& tile, const Span& span,
                                      IsLast is_last, BeforeWriting before_writing) {
  using Codec = typename Traffic::Codec;
  using Word = typename Codec::Word;
  using Digit = Digits<Codec, bits>;
  using Group = ThreadGroup<nt, 1>;
  using Sums = LookBack<Counter, Digit::values, loads>;
  constexpr u32 values = Digit::values;
  constexpr u32 of_thread = (values + nt - 1) / nt;  // digits that a thread adds up
  constexpr u32 nv = u32{nt} * vt;
  Word words[vt];
  load_by_warps<Codec, nt>(traffic.input + span.begin(), span, words);
  if constexpr (prefetch != 0) {
    if (const u64 ahead = span.begin() + u64{prefetch} * nv; ahead + nv <= n) traffic.template ask_for_items<nt>(ahead, nv);
  }

  u32 ranks[packed ? 1 : vt];
  PackedItemPlaces<packed ? vt : 1, values> places;
  const auto bits_from_digit = [&](Word word) { return Digit::from(Traffic::ordered(word), pass); };
  // Where registers are few, words wait in the warp's part of the tile until it is known where they go.
  Word* const waiting = tile.words + (warp_index() * (warp_size * vt) + lane());
  if constexpr (packed) {
    constexpr int at_once = 4;
    const WarpRanks<bits> of_warp(tile.ranks);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) waiting[r * warp_size] = words[r];
    BITUNE_UNROLL
    for (int some = 0; some < vt; some += at_once) {
      if (is_behind(some, span.items())) break;
      u32 from[at_once];
      BITUNE_UNROLL
      for (int r = 0; r < at_once && some + r < vt; ++r) from[r] = bits_from_digit(waiting[(some + r) * warp_size]);
      BITUNE_UNROLL
      for (int r = 0; r < at_once && some + r < vt; ++r) places.places.put(some + r, of_warp.count(from[r]));
    }
  } else {
    rank_in_warp<Traffic, Digit, bits>(words, span.items(), pass, tile.ranks, ranks);
  }
  sync_block();

  // Each thread has some digits. The count of a warp's keys with a digit becomes the place in the tile where these keys begin.
  const Sums sums{counts.states + u64{counts.turn % 2} * counts.tiles * values};
  const Sums next{counts.states + u64{(counts.turn + 1) % 2} * counts.tiles * values};
  constexpr int at_once = packed ? 4 : Tile::warps;  // counts of warps
  u32 of_tile[of_thread];
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    of_tile[i] = 0;
    if (digit >= values) break;
    BITUNE_UNROLL_N(at_once)
    for (u32 warp = 0; warp < tile.warps; ++warp) of_tile[i] += tile.ranks[warp * values + digit];
    if (span.number != 0) sums.publish_own(span.number, digit, of_tile[i]);
    if (!is_last()) *next.place(span.number, digit) = 0;
  }
  u32 first[of_thread];
  GroupPrefixSum<Group> keys_before(tile.scratch);
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    first[i] = keys_before(of_tile[i]);
    if (digit >= values) continue;
    u32 place = first[i];
    BITUNE_UNROLL_N(at_once)
    for (u32 warp = 0; warp < tile.warps; ++warp) {
      u16& of_warp = tile.ranks[warp * values + digit];
      const u32 keys = of_warp;
      of_warp = static_cast<u16>(place);
      place += keys;
    }
  }
  if constexpr (packed) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = waiting[r * warp_size];
  }
  sync_block();
  if constexpr (packed) {
    const WarpRanks<bits> of_warp(tile.ranks);
    places.places.add_each([&](int r) { return u32{of_warp.counter(bits_from_digit(words[r]))}; });
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (is_behind(r, span.items())) break;
      tile.words[places.place(r)] = words[r];
    }
  } else {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (is_behind(r, span.items())) break;
      const u32 place = tile.ranks[ranks[r] >> 16] + (ranks[r] & 0xffff);
      tile.words[place] = words[r];
      ranks[r] = place;
    }
  }
  typename Traffic::Value carried[vt];
  if constexpr (!packed) traffic.template load_values<nt>(span, carried);

  // Looking back comes after the tile is put together, since other blocks have published more by then.
  if (span.number == 0) count_smaller_digits<nt, values>(counts.digits + pass * values, tile.targets);
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    if (digit >= values) break;
    const Counter before = span.number == 0 ? tile.targets[digit] : sums.before(span.number, digit);
    sums.publish_inclusive(span.number, digit, before + of_tile[i]);
    tile.targets[digit] = before - first[i];
  }
  sync_block();
  before_writing();
  if constexpr (packed) traffic.template load_values<nt>(span, carried);
  if constexpr (packed) {
    traffic.template write<nt, Digit>(tile, pass, span, places, carried);
  } else {
    traffic.template write<nt, Digit>(tile, pass, span, ItemPlaces<vt>{ranks}, carried);
  }
}

/// A pass over n keys and what travels with them: see radix_pass.
template <class Traffic, int nt, int vt, int bits, int loads, int min_blocks, bool allows_next_early, class Counter>
BITUNE_DEVICE void sort_by_digit(const Traffic& traffic, u64 n, u32 pass, u32* tickets, const Counter* counts, Counter* states, u32 tiles) {
  using Codec = typename Traffic::Codec;
  using Digit = Digits<Codec, bits>;
  const RadixTile<Codec, Counter, nt, vt, bits, Traffic::slot_bytes()> tile(shared_memory<typename Codec::Word>());
  begin_launch_of_plan<allows_next_early>();
  if (thread_index() == 0) *tile.ticket = atomic_add(tickets + pass, 1);
  for (u32 i = lane(); i < Digit::values; i += warp_size) tile.ranks[warp_index() * Digit::values + i] = 0;
  sync_block();
  const PassCounts<Counter> shared{counts, states, tiles, pass};
  sort_tile_by_digit<Traffic, nt, vt, bits, loads, 0, packs_places<Traffic>(nt, vt, min_blocks, bits)>(
      traffic, n, pass, shared, tile, full_tile<nt, vt>(n, *tile.ticket), [&] { return pass + 1 >= Digit::passes; }, [] {});
}

/// Sorts the n keys at `input` by digit `pass` to `output`, which is other memory. counts: what count_digits found. tickets: one of each
/// pass, 0 at first. states: what LookBack keeps of `tiles` blocks, twice, for even and for odd passes. This pass's half is 0 at first, and
/// it clears the next one's. Grid: a block for every tile of nt * vt keys. There are `tiles` of them, of at most 2^16 keys each. Dynamic
/// shared memory: RadixTile's. allows_next_early: of all passes but the last.
template <class Codec, class Payload, int nt, int vt, int bits, int loads, int counter_bytes, int min_blocks,
          bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
radix_pass(typename Codec::Raw* output, const typename Codec::Raw* input, u64 n, u32 pass, u32* tickets,
           const typename Storage<counter_bytes>::Word* counts, typename Storage<counter_bytes>::Word* states, u32 tiles) {
  sort_by_digit<KeyTraffic<Codec>, nt, vt, bits, loads, min_blocks, allows_next_early>({output, input}, n, pass, tickets, counts,
                                                                                                   states, tiles);
}

}  // namespace bitune
