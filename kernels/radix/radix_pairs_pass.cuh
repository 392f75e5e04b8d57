#pragma once

// A pass of the variant radix_pairs: as radix_pass, and a value travels with each key. It may be the key's own index, which the first
// pass makes. Values follow their keys: they take the same places in the same shared memory once the keys have left it, or in memory beside them.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/radix/count_digits.cuh"
#include "kernels/radix/pass_codec.cuh"
#include "kernels/radix/radix_pass.cuh"

namespace bitune {

/// Where a pass gets its values.
enum class ValueSource { memory, index };

/// What a pass over keys with values of so many bytes reads and writes. writes_keys: the keys, too. values_beside_keys: shared
/// memory has room for both at once.
template <class Codec_, int value_bytes, ValueSource source, bool writes_keys, bool values_beside_keys>
struct PairTraffic {
  using Codec = Codec_;
  using Word = typename Codec::Word;
  using Value = typename CarriedValue<value_bytes>::Type;
  BITUNE_DEVICE static constexpr layout::Size slot_bytes() { return layout::pair_slot_bytes(sizeof(Word), value_bytes, values_beside_keys); }

  /// Of the larger one of both, which a thread holds in registers.
  BITUNE_DEVICE static constexpr layout::Size item_bytes() { return layout::pair_slot_bytes(sizeof(Word), value_bytes < 4 ? 4 : value_bytes, false); }

  typename Codec::Raw* output;
  const typename Codec::Raw* input;
  Value* values_out;
  const Value* values_in;

  BITUNE_DEVICE static Word ordered(Word word) { return TieCodec<Codec>::ordered(word); }

  template <int nt>
  BITUNE_DEVICE void ask_for_items(u64 begin, u32 count) const {
    ask_for<nt>(input + begin, count * sizeof(typename Codec::Raw));
    if constexpr (source == ValueSource::memory) ask_for<nt>(values_in + begin, count * sizeof(Value));
  }

  template <int nt, int vt, class Span>
  BITUNE_DEVICE void load_values(const Span& span, Value (&values)[vt]) const {
    const u64 begin = span.begin();
    const u32 count = span.count();
    const u32 first = warp_index() * (warp_size * span.items()) + lane();
    if constexpr (source == ValueSource::index) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) values[r] = static_cast<Value>(begin + first + r * warp_size);
    } else if (count == u32{nt} * vt) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) values[r] = values_in[begin + first + r * warp_size];
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) values[r] = r < span.items() && first + r * warp_size < count ? values_in[begin + first + r * warp_size] : Value{};
    }
  }

  template <int nt, class Digit, int vt, class Tile, class Span, class Places>
  BITUNE_DEVICE void write(const Tile& tile, u32 pass, const Span& span, Places places, const Value (&values)[vt]) const {
    const u32 count = span.count();
    // The padding of a tile is behind its keys, so that its values are not written.
    Value* const slots = reinterpret_cast<Value*>(tile.words + (values_beside_keys ? nt * vt : 0));
    const auto put_values = [&](auto place) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (is_behind(r, span.items())) break;
        slots[place(r)] = values[r];
      }
      sync_block();
    };
    const auto place_alone = [&](int r) { return places.place_alone(r); };
    const auto write_key = [&](u32 slot, auto index) {
      if constexpr (writes_keys) output[index] = Codec::decode(tile.words[slot]);
    };
    const auto write_value = [&](u32 slot, auto index) { values_out[index] = slots[slot]; };
    if constexpr (values_beside_keys) put_values(place_alone);

    // With each place goes the digit of the key that this thread writes.
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i >= count) continue;
      const u32 digit = Digit::of(ordered(tile.words[i]), pass);
      write_key(i, tile.targets[digit] + i);
      if constexpr (values_beside_keys) write_value(i, tile.targets[digit] + i);
      places.put_digit(r, digit);
    }
    if constexpr (!values_beside_keys) {
      sync_block();
      put_values([&](int r) { return places.place(r); });
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = thread_index() + r * nt;
        if (i < count) write_value(i, tile.targets[places.digit(r)] + i);
      }
    }
  }
};

/// Sorts n keys and their values by digit `pass`, as radix_pass does keys. All NaNs are equal keys: their digits are counted by
/// count_digits with a TieCodec. No array is read that the pass writes. Without writes_keys nothing is written to keys_out. With indices as
/// values nothing is read at values_in. Dynamic shared memory: RadixTile's, with slots of layout::pair_slot_bytes.
template <class Codec, class Payload, int value_bytes, ValueSource source, bool writes_keys, int nt, int vt, int bits,
          int loads, int counter_bytes, int min_blocks, bool values_beside_keys, bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
radix_pairs_pass(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
                 const typename CarriedValue<value_bytes>::Type* values_in, u64 n, u32 pass, u32* tickets,
                 const typename Storage<counter_bytes>::Word* counts, typename Storage<counter_bytes>::Word* states, u32 tiles) {
  using Traffic = PairTraffic<Codec, value_bytes, source, writes_keys, values_beside_keys>;
  sort_by_digit<Traffic, nt, vt, bits, loads, min_blocks, allows_next_early>({keys_out, keys_in, values_out, values_in}, n, pass, tickets,
                                                                             counts, states, tiles);
}

}  // namespace bitune
