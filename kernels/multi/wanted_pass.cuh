#pragma once

// The last pass of a radix sort of which only some of the keys are wanted, one behind the other: the others are not written.

#include "kernels/radix/radix_pairs_pass.cuh"

namespace bitune {

/// As KeyTraffic and PairTraffic, but writes only the `count` items behind the first `skipped` ones. carried_bytes: 0 for keys alone.
template <class Codec_, int carried_bytes>
struct WantedTraffic {
  using Codec = Codec_;
  using Word = typename Codec::Word;
  static constexpr bool carries = carried_bytes != 0;
  using Value = typename CarriedValue<carried_bytes>::Type;
  using Pairs = PairTraffic<Codec, carries ? carried_bytes : 4, ValueSource::memory, true, false>;
  BITUNE_DEVICE static constexpr layout::Size slot_bytes() { return carries ? Pairs::slot_bytes() : KeyTraffic<Codec>::slot_bytes(); }
  BITUNE_DEVICE static constexpr layout::Size item_bytes() { return carries ? Pairs::item_bytes() : KeyTraffic<Codec>::item_bytes(); }

  typename Codec::Raw* output;
  const typename Codec::Raw* input;
  Value* values_out;
  const Value* values_in;
  u64 skipped;
  u64 count;

  BITUNE_DEVICE static Word ordered(Word word) {
    if constexpr (carries) return TieCodec<Codec>::ordered(word);
    return word;
  }

  template <int nt>
  BITUNE_DEVICE void ask_for_items(u64 begin, u32 items) const {
    ask_for<nt>(input + begin, items * sizeof(typename Codec::Raw));
  }

  template <int nt, int vt, class Span>
  BITUNE_DEVICE void load_values(const Span& span, Value (&values)[vt]) const {
    if constexpr (carries) Pairs{output, input, values_out, values_in}.template load_values<nt>(span, values);
  }

  template <int nt, class Digit, int vt, class Tile, class Span, class Places>
  BITUNE_DEVICE void write(const Tile& tile, u32 pass, const Span& span, Places places, const Value (&values)[vt]) const {
    const u32 items = span.count();
    // Where an item goes, beyond `count` if it is not wanted. Its digit goes with each place, for its value.
    const auto place_of = [&](u32 digit, u32 i) {
      using Counter = decltype(tile.targets[0] + i);
      return static_cast<Counter>(tile.targets[digit] + i - static_cast<Counter>(skipped));
    };
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i >= items) continue;
      const u32 digit = Digit::of(ordered(tile.words[i]), pass);
      const auto place = place_of(digit, i);
      if (place < count) output[place] = Codec::decode(tile.words[i]);
      if constexpr (carries) places.put_digit(r, digit);
    }
    if constexpr (carries) {
      Value* const slots = reinterpret_cast<Value*>(tile.words);
      sync_block();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) slots[places.place(r)] = values[r];
      sync_block();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = thread_index() + r * nt;
        if (i >= items) continue;
        const auto place = place_of(places.digit(r), i);
        if (place < count) values_out[place] = slots[i];
      }
    }
  }
};

/// As radix_pass or radix_pairs_pass of the last digit, but of the sorted items only the `count` behind the first `skipped` ones are written, to
/// the beginning of the output.
template <class Codec, class Payload, int carried_bytes, int nt, int vt, int bits, int loads, int counter_bytes, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
wanted_pass(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<carried_bytes>::Type* values_out,
            const typename CarriedValue<carried_bytes>::Type* values_in, u64 n, u32 pass, u32* tickets,
            const typename Storage<counter_bytes>::Word* counts, typename Storage<counter_bytes>::Word* states, u32 tiles, u64 skipped,
            u64 count) {
  using Traffic = WantedTraffic<Codec, carried_bytes>;
  sort_by_digit<Traffic, nt, vt, bits, loads, min_blocks, false>(Traffic{keys_out, keys_in, values_out, values_in, skipped, count}, n, pass,
                                                                 tickets, counts, states, tiles);
}

}  // namespace bitune
