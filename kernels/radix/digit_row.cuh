#pragma once

// A long row with values or indices, by digits. A block holds a row in shared memory: the word of each key, and the place in the row that
// the key came from. Each pass ranks the keys by a digit, as radix_pass does. Then words move, and then places, each through registers: a
// thread has room for one of both. A row of 32,768 keys fits a block so, which would take two blocks' registers as keys with their places.

#include "kernels/network/block_sum.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/placed_word.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/radix/digit_row_layout.hpp"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/radix/warp_ranks.cuh"

namespace bitune {

/// A row of at most nt * vt keys. Item r of a thread is in its warp's part of the row, 32 items behind its item r - 1. `bits` of a digit.
template <class Codec, int nt, int vt, int bits>
struct DigitRow {
  using Word = typename Codec::Word;
  using Digit = Digits<Codec, bits>;
  using Ranks = WarpRanks<bits>;
  static constexpr u32 values = Digit::values;
  static constexpr u32 warps = nt / warp_size;
  static_assert(vt % 2 == 0 && nt * vt <= 0x10000);

  Word* words;   ///< [padded(nt * vt)]
  u16* places;   ///< as words
  u16* ranks;    ///< [warps][values]: how many keys with the digit the warp has met; later, where in the row its next one goes
  u32* scratch;  ///< GroupPrefixSum's

  BITUNE_DEVICE static u32 padded(u32 i) { return i + i / warp_size; }
  BITUNE_DEVICE static u32 first() { return warp_index() * (warp_size * vt) + lane(); }

  /// The rank of each of the thread's keys among the warp's keys with its digit, and the warp's count of each digit in `ranks`.
  BITUNE_DEVICE void count(u32 pass, const Ranks& of_warp, Halves<vt>& rank) const {
    constexpr int at_once = 4;
    static_assert(vt % at_once == 0);
    for (u32 i = lane(); i < values; i += warp_size) ranks[of_warp.first_counter + i] = 0;
    order_before_vote();
    const Word* const mine = words + padded(first());
    BITUNE_UNROLL
    for (int some = 0; some < vt; some += at_once) {
      u32 from[at_once];
      BITUNE_UNROLL
      for (int r = 0; r < at_once; ++r) from[r] = Digit::from(mine[(some + r) * (warp_size + 1)], pass);
      BITUNE_UNROLL
      for (int r = 0; r < at_once; ++r) rank.put(some + r, of_warp.count(from[r]));
    }
  }

  /// The count of a warp's keys with a digit becomes the place where the first of these goes. A thread has a digit, or several; where there
  /// are more threads than digits, others have none. Ends with a barrier.
  BITUNE_DEVICE void add_up() const {
    constexpr int adding = nt < values ? nt : values;
    if (thread_index() < adding) {
      GroupPrefixSum<ThreadGroup<nt, nt / adding>> keys_before(scratch);
      BITUNE_UNROLL
      for (u32 digit = thread_index(), round = 0; round < values / adding; ++round, digit += adding) {
        u16* const of_digit = ranks + digit;
        u32 keys = 0;
        BITUNE_UNROLL
        for (u32 warp = 0; warp < warps; ++warp) keys += of_digit[warp * values];
        u32 place = keys_before(keys);
        BITUNE_UNROLL
        for (u32 warp = 0; warp < warps; ++warp) {
          const u32 of_warp = of_digit[warp * values];
          of_digit[warp * values] = static_cast<u16>(place);
          place += of_warp;
        }
      }
    }
    sync_block();
  }

  /// Puts the row in the order of a digit. moves_words: else only places move, as those of the words that are there. has_places: else the first
  /// pass makes them. Ends with a barrier.
  template <bool moves_words, bool has_places = false>
  BITUNE_DEVICE void sort_by(u32 pass) const {
    Halves<vt> place;
    const Ranks of_warp(ranks);
    count(pass, of_warp, place);
    sync_block();
    add_up();
    {
      Word word[vt];
      const Word* const mine = words + padded(first());
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) word[r] = mine[r * (warp_size + 1)];
      place.add_each([&](int r) { return u32{of_warp.counter(Digit::from(word[r], pass))}; });
      sync_block();
      if constexpr (moves_words) {
        BITUNE_UNROLL
        for (int r = 0; r < vt; ++r) words[padded(place.at(r))] = word[r];
      }
    }
    Halves<vt> from;
    if (pass == 0 && !has_places) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) from.put(r, first() + r * warp_size);
    } else {
      const u16* const mine = places + padded(first());
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) from.put(r, mine[r * (warp_size + 1)]);
      sync_block();
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) places[padded(place.at(r))] = static_cast<u16>(from.at(r));
    sync_block();
  }
};

/// Sorts a row of `length` keys (at most nt * vt) stably. What is written is as in place_row_sort. `memory` tells where the row lies: its
/// keys_in(), keys_out(), values_in(), values_out() and indices_out(), which are asked for what there is, when it is needed. All threads of
/// the block call it. Its stored_at_once: how many keys a thread reads from shared memory before it stores them, which take registers. Shared
/// memory: layout::digit_row_parts. No barrier at its end.
template <class Codec, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int bits, class Memory>
BITUNE_DEVICE void sort_row_by_digits(u8* shared, const Memory& memory, u32 length) {
  using Raw = typename Codec::Raw;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Word = typename Codec::Word;
  using Row = DigitRow<Codec, nt, vt, bits>;
  constexpr layout::DigitRowParts parts = layout::digit_row_parts(nt, vt, bits, sizeof(Word), value_bytes);
  const Row row{reinterpret_cast<Word*>(shared), reinterpret_cast<u16*>(shared + parts.places), reinterpret_cast<u16*>(shared + parts.ranks),
                reinterpret_cast<u32*>(shared + parts.scratch)};
  const Raw* const input = memory.keys_in();
  const u32 thread = thread_index();
  // Register r of a thread is at thread + r * nt as the row is read and written.
  const u32 slot = Row::padded(thread);
  constexpr u32 next_slot = nt / warp_size * (warp_size + 1);
  {
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = thread + r * nt < length ? input[thread + r * nt] : Raw{0};
    // All NaNs are equal, and lose their bits here. Padding is behind all keys, and stays there.
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const Word word = TieCodec<Codec>::encode(raw[r]);
      row.words[slot + r * next_slot] = thread + r * nt < length ? word : Codec::padding;
    }
  }
  sync_block();
  constexpr u32 passes = Row::Digit::passes;
  BITUNE_UNROLL_N(1)
  for (u32 pass = 0; pass + (writes_keys ? 0 : 1) < passes; ++pass) row.template sort_by<true>(pass);
  if constexpr (!writes_keys) row.template sort_by<false>(passes - 1);

  // Anew: else the compiler keeps addresses and conditions from the beginning on.
  const u32 item = kept(thread_index());
  const u32 item_slot = Row::padded(item);
  if constexpr (writes_keys) {
    if constexpr (NanWord<Codec>::exists) {
      BITUNE_UNROLL_N(4)
      for (u32 r = 0; r < vt; ++r) {
        Word& word = row.words[item_slot + r * next_slot];
        if (NanWord<Codec>::is(word & Codec::mask) && item + r * nt < length) word = Codec::encode(input[row.places[item_slot + r * next_slot]]);
      }
      sync_block();  // the output may be the input
    }
    Raw* const output = memory.keys_out();
    BITUNE_UNROLL_N(Memory::stored_at_once)
    for (int r = 0; r < vt; ++r) {
      if (item + r * nt < length) output[item + r * nt] = Codec::decode(row.words[item_slot + r * next_slot]);
    }
  }
  // Few at once, where a loop over segments has registers of its own. Else as below, with all places in registers.
  if constexpr (index_bytes != 0 && value_bytes == 0 && Memory::stored_at_once < 32) {
    Index* const to = memory.indices_out() + item;
    BITUNE_UNROLL_N(Memory::stored_at_once / 2)
    for (int r = 0; r < vt; ++r) {
      if (item + r * nt < length) to[r * nt] = static_cast<Index>(row.places[item_slot + r * next_slot]);
    }
    return;
  }
  Halves<vt> places;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) places.put(r, row.places[item_slot + r * next_slot]);
  if constexpr (index_bytes != 0) {
    Index* const to = memory.indices_out() + item;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (item + r * nt < length) to[r * nt] = static_cast<Index>(places.at(r));
    }
  }
  if constexpr (value_bytes != 0) {
    Value* const slots = reinterpret_cast<Value*>(shared);
    sync_block();
    copy_row_to_shared<nt>(memory.values_in(), length, slots);
    cp_async_wait_all();
    sync_block();
    Value* const to = memory.values_out() + item;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (item + r * nt < length) to[r * nt] = slots[places.at(r)];
    }
  }
}

}  // namespace bitune
