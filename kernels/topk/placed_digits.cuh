#pragma once

// The k-th key of an array, found digit by digit: slowly, but whatever the keys are, and with little memory.

#include "kernels/network/placed_word.cuh"

namespace bitune {

/// A digit of 8 bits of a key and its place, of which the first ones decide.
template <class Codec, class Form>
struct PlacedDigits {
  using Item = typename Form::Item;
  using Word = typename Codec::Word;
  static constexpr int levels = Codec::bytes + 4;
  static constexpr u32 values = 256;

  Word key = 0;  ///< the digits before `level`
  u32 place = 0;

  BITUNE_DEVICE static u32 digit(Item item, int level) {
    if (level < Codec::bytes) return static_cast<u32>(Form::key(item) >> (8 * (Codec::bytes - 1 - level))) & 0xff;
    return Form::place(item) >> (8 * (levels - 1 - level)) & 0xff;
  }

  /// Whether the item has these digits.
  BITUNE_DEVICE bool matches(Item item, int level) const {
    if (level == 0) return true;
    if (level <= Codec::bytes) return (Form::key(item) ^ key) >> (8 * (Codec::bytes - level)) == 0;
    return Form::key(item) == key && (Form::place(item) ^ place) >> (8 * (levels - level)) == 0;
  }

  BITUNE_DEVICE void set(u32 digit, int level) {
    if (level < Codec::bytes) {
      key |= static_cast<Word>(digit) << (8 * (Codec::bytes - 1 - level));
    } else {
      place |= digit << (8 * (levels - 1 - level));
    }
  }
};

/// The item of that rank, from 1 on, of `length` items. By all nt threads of a block, behind a barrier. counters: Digits::values numbers of
/// shared memory.
template <class Codec, class Form, int nt, class Source>
BITUNE_DEVICE typename Form::Item item_of_rank(const Source& source, u32 length, u32 rank, u32* counters) {
  using Digits = PlacedDigits<Codec, Form>;
  Digits digits;
  for (int level = 0; level < Digits::levels; ++level) {
    for (u32 i = thread_index(); i < Digits::values; i += nt) counters[i] = 0;
    sync_block();
    for (u64 i = thread_index(); i < length; i += nt) {
      const typename Form::Item item = source(static_cast<u32>(i));
      if (digits.matches(item, level)) atomic_add(counters + Digits::digit(item, level), 1);
    }
    sync_block();
    u32 digit = 0;
    while (counters[digit] < rank) rank -= counters[digit++];
    digits.set(digit, level);
    sync_block();
  }
  return Form::make(digits.key, digits.place);
}

}  // namespace bitune
