#pragma once

// The work on long segments whose keys have values, or get indices: as sort_long_keys, and as radix_pairs_pass.

#include "kernels/radix/radix_pairs_pass.cuh"
#include "kernels/segments/long_sort.cuh"

namespace bitune {

/// What the turns read and write. An index is a key's place in its segment, which the first turn makes. Without writes_keys the last turn
/// writes no keys.
template <class Codec_, int value_bytes, ValueSource source, bool writes_keys>
struct LongPairs {
  using Codec = Codec_;
  using Value = typename CarriedValue<value_bytes>::Type;
  static constexpr bool first_differs = source == ValueSource::index;
  static constexpr bool last_differs = !writes_keys;
  TurnArrays<typename Codec::Raw> keys;
  TurnArrays<Value> values;

  template <class Kind>
  using Traffic = PairTraffic<Codec, value_bytes, Kind::is_first ? source : ValueSource::memory, !Kind::is_last || writes_keys, false>;

  template <class Kind>
  BITUNE_DEVICE Traffic<Kind> at(u32 turn, u64 begin) const {
    return {keys.to(turn) + begin, keys.from(turn) + begin, values.to(turn) + begin, values.from(turn) + begin};
  }
};

/// Sorts the keys of each listed segment and their values, or indices, for which nothing is read at values_in. The rest as of
/// sort_long_keys and radix_pairs_pass.
template <class Codec, class Payload, int value_bytes, ValueSource source, bool writes_keys, bool makes_buckets, int nt, int vt, int bits,
          int loads, int first_pass, int turns, int copies, int counter_bytes, int min_blocks, bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
sort_long_pairs(typename Codec::Raw* first, typename Codec::Raw* second, typename Codec::Raw* third, const typename Codec::Raw* input,
                typename CarriedValue<value_bytes>::Type* first_values, typename CarriedValue<value_bytes>::Type* second_values,
                typename CarriedValue<value_bytes>::Type* third_values, const typename CarriedValue<value_bytes>::Type* values_in, u64* begins,
                u64* ends, LongTile* tiles, const LongSegment* listed, ListCounters* counters, typename Storage<counter_bytes>::Word* digits,
                typename Storage<counter_bytes>::Word* states, u32 most_tiles) {
  using Items = LongPairs<Codec, value_bytes, source, writes_keys>;
  using Counter = typename Storage<counter_bytes>::Word;
  const LongWork<nt, vt, bits, LongCounts<Counter, first_pass, turns>> work{tiles, listed, {digits, states, most_tiles}};
  sort_long_segments<Items, makes_buckets, nt, vt, bits, loads, copies, allows_next_early>(
      work, counters, {{first, second, third, input}, {first_values, second_values, third_values, values_in}}, {begins, ends});
}

}  // namespace bitune
