#pragma once

// A tile of a radix pass: how its keys come to registers, what of it is in shared memory, and how a warp ranks its keys by a digit.

#include "kernels/network/tile_io.cuh"
#include "kernels/platform/platform.cuh"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/radix/tile_spans.cuh"
#include "kernels/radix/warp_ranks.cuh"

namespace bitune {

/// For each digit, how many keys have a smaller one: the exclusive prefix sums of `counted`, in shared memory. By the block's nt threads.
/// Ends with a barrier.
template <int nt, u32 values, class Counter>
BITUNE_DEVICE void count_smaller_digits(const Counter* counted, Counter* smaller) {
  constexpr u32 of_thread = (values + nt - 1) / nt;
  for (u32 i = thread_index(); i < values; i += nt) smaller[i] = i == 0 ? Counter{0} : counted[i - 1];
  sync_block();
  for (u32 distance = 1; distance < values; distance *= 2) {
    Counter more[of_thread];
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      const u32 at = thread_index() + i * nt;
      more[i] = at >= distance && at < values ? smaller[at - distance] : Counter{0};
    }
    sync_block();
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      if (thread_index() + i * nt < values) smaller[thread_index() + i * nt] += more[i];
    }
    sync_block();
  }
}

/// Whether places are packed in registers, of items of Traffic.
template <class Traffic>
BITUNE_DEVICE constexpr bool packs_places(int threads, int items, int blocks, int bits) {
  return layout::packs_radix_places(threads, items, blocks, bits, Traffic::item_bytes());
}

/// What a block keeps in shared memory (layout::radix_tile_parts). slot_bytes: of an item, whatever of it is there.
template <class Codec, class Counter, int nt, int vt, int bits, int slot_bytes>
struct RadixTile {
  using Word = typename Codec::Word;
  static constexpr u32 warps = nt / warp_size;

  Word* words;       ///< [nt * vt]: the tile's, by digit; then what travels with them
  Counter* targets;  ///< [values]: from a word's place in the tile to its place in the array
  u16* ranks;        ///< [warps][values]: how many keys with the digit the warp has met; later, where in the tile its next one goes
  u32* scratch;      ///< GroupPrefixSum's
  u32* ticket;       ///< the tile's number

  BITUNE_DEVICE explicit RadixTile(Word* memory)
      : words(memory),
        targets(reinterpret_cast<Counter*>(words + parts().targets / sizeof(Word))),
        ranks(reinterpret_cast<u16*>(targets + (parts().ranks - parts().targets) / sizeof(Counter))),
        scratch(reinterpret_cast<u32*>(ranks + (parts().scratch - parts().ranks) / sizeof(u16))),
        ticket(scratch + (parts().ticket - parts().scratch) / sizeof(u32)) {}

  BITUNE_DEVICE static constexpr layout::RadixTileParts parts() {
    return layout::radix_tile_parts(nt, vt, bits, slot_bytes, sizeof(Counter));
  }
};

/// What a thread knows of each of its items besides the word: the item's place in the tile, in the lower half of a register, and in the upper
/// half a counter or a digit.
template <int vt>
struct ItemPlaces {
  u32 (&both)[vt];

  BITUNE_DEVICE u32 place(int r) const { return both[r] & 0xffff; }
  BITUNE_DEVICE u32 place_alone(int r) const { return both[r]; }  ///< before there is a digit
  BITUNE_DEVICE void put_digit(int r, u32 digit) const { both[r] |= digit << 16; }
  BITUNE_DEVICE u32 digit(int r) const { return both[r] >> 16; }
};

/// The same in fewer registers. Digits are below `values`.
template <int vt, u32 values>
struct PackedItemPlaces {
  Halves<vt> places;
  PackedNumbers<vt, (values > 256 ? 16 : 8)> digits;

  BITUNE_DEVICE u32 place(int r) const { return places.at(r); }
  BITUNE_DEVICE u32 place_alone(int r) const { return places.at(r); }
  BITUNE_DEVICE void put_digit(int r, u32 digit) { digits.put(r, digit); }
  BITUNE_DEVICE u32 digit(int r) const { return digits.at(r); }
};

/// Loads the keys that `span` tells from `tile` on: register r of lane l of a warp gets the warp's key 32 r + l, so that neighbouring lanes load
/// neighbouring keys.
template <class Codec, int nt, int vt, class Span>
BITUNE_DEVICE void load_by_warps(const typename Codec::Raw* tile, const Span& span, typename Codec::Word (&words)[vt]) {
  const u32 count = span.count();
  const int items = span.items();
  const u32 first = warp_index() * (warp_size * items) + lane();
  const auto key = [&](int r) {
    if constexpr (Span::has_known_items) return tile[first + r * warp_size];
    return (tile + first)[r * warp_size];  // an index of 32 bits may wrap around, for all that the compiler knows
  };
  if (count == u32{nt} * vt) {
    typename Codec::Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = key(r);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Codec::encode(raw[r]);
  } else {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      words[r] = r < items && first + r * warp_size < count ? Codec::encode(tile[first + r * warp_size]) : Codec::padding;
    }
  }
}

/// Asks for the lines of memory of so many bytes, which then are in the L2 cache soon. By the block's nt threads.
template <int nt>
BITUNE_DEVICE void ask_for(const void* from, u32 bytes) {
  constexpr u32 line = 128;
  for (u32 i = thread_index() * line; i < bytes; i += nt * line) prefetch_to_l2(static_cast<const char*>(from) + i);
}

/// Whether item r of a thread begins a step of a ramp that a tile of so many items does not have.
BITUNE_DEVICE constexpr bool is_behind(int r, int items) { return r % layout::ramp_unit() == 0 && r >= items; }

/// Ranks the keys of a warp, `items` of each lane. In the lower half of each rank is how many of the warp's keys with the same digit come
/// before the key; in the upper half the index of their counter in `counters`, which counts the warp's keys of each digit.
template <class Traffic, class Digit, int bits, int vt>
BITUNE_DEVICE void rank_in_warp(const typename Traffic::Word (&words)[vt], int items, u32 pass, u16* counters, u32 (&ranks)[vt]) {
  const u32 first_counter = kept(warp_index() * Digit::values);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (is_behind(r, items)) break;
    const u32 bits_from_digit = Digit::from(Traffic::ordered(words[r]), pass);
    const u32 same = lanes_of_same_bits<bits>(bits_from_digit);
    const u32 lower = bit_count(same & lanes_before());
    const u32 counter = (bits_from_digit & (Digit::values - 1)) | first_counter;
    const u32 so_far = counters[counter];
    sync_warp();
    if (lower == 0) counters[counter] = static_cast<u16>(so_far + bit_count(same));
    order_before_vote();
    ranks[r] = kept(counter << 16 | (so_far + lower));
  }
}

}  // namespace bitune
