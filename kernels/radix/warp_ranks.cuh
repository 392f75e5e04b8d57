#pragma once

// Ranks of a warp's keys by a digit, with few registers: for blocks that hold many keys, or that share a multiprocessor with many others.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Numbers of 8 or 16 bits, several a register. Kept: else the compiler keeps what they are made of, which takes more.
template <int items, int bits>
struct PackedNumbers {
  static constexpr int of_word = 32 / bits;
  u32 words[(items + of_word - 1) / of_word];

  BITUNE_DEVICE u32 at(int i) const { return words[i / of_word] >> (i % of_word * bits) & ((u32{1} << bits) - 1); }
  BITUNE_DEVICE void put(int i, u32 number) {
    u32& word = words[i / of_word];
    word = i % of_word == 0 ? number : kept(word | number << (i % of_word * bits));
  }

  /// Adds number(i) to each; sums have as many bits.
  template <class Number>
  BITUNE_DEVICE void add_each(Number number) {
    BITUNE_UNROLL
    for (int i = 0; i < items; i += of_word) {
      u32 more = 0;
      BITUNE_UNROLL
      for (int part = 0; part < of_word; ++part) more |= i + part < items ? number(i + part) << (part * bits) : 0;
      words[i / of_word] = kept(words[i / of_word] + more);
    }
  }
};

template <int items>
using Halves = PackedNumbers<items, 16>;

/// Counts a warp's keys by a digit of `bits` bits, register by register of its lanes.
template <int bits>
struct WarpRanks {
  static constexpr u32 values = u32{1} << bits;

  u16* counters;      ///< of the block: [warps][values]
  u32 first_counter;  ///< of the warp
  u32 before;         ///< lanes before this one
  u32 behind;

  BITUNE_DEVICE explicit WarpRanks(u16* of_block)
      : counters(of_block), first_counter(kept(warp_index() * values)), before(kept(lanes_before())), behind(kept(~before << 1)) {}

  /// The counter of a key, given the bits of its word from the digit on.
  BITUNE_DEVICE u16& counter(u32 bits_from_digit) const { return counters[(bits_from_digit & (values - 1)) | first_counter]; }

  /// How many keys with this one's digit the warp has counted, those of lower lanes included. All lanes take part.
  BITUNE_DEVICE u32 count(u32 bits_from_digit) const {
    const u32 same = lanes_of_same_bits<bits>(bits_from_digit);
    u16& mine = counter(bits_from_digit);
    const u32 rank = mine + bit_count(same & before);
    sync_warp();
    if ((same & behind) == 0) mine = static_cast<u16>(rank + 1);
    order_before_vote();
    return rank;
  }
};

}  // namespace bitune
