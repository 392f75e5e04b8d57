#pragma once

// A pass over long segments whose keys have values, or get indices: as long_radix_pass, and as radix_pairs_pass.

#include "kernels/radix/radix_pairs_pass.cuh"
#include "kernels/segments/long_pass.cuh"

namespace bitune {

/// Sorts the keys of each listed segment and their values by digit `pass`. An index is a key's place in its segment. The rest as of
/// radix_pairs_pass and long_radix_pass.
template <class Codec, class Payload, int value_bytes, ValueSource source, bool writes_keys, int nt, int vt, int bits,
          int loads, int counter_bytes, int min_blocks, bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
long_radix_pairs_pass(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
                      const typename CarriedValue<value_bytes>::Type* values_in, u32 pass, const LongTile* tiles, ListCounters* counters,
                      u32* tickets, const typename Storage<counter_bytes>::Word* digits, typename Storage<counter_bytes>::Word* states,
                      u32 most_tiles) {
  using Traffic = PairTraffic<Codec, value_bytes, source, writes_keys, false>;
  const LongPasses<typename Storage<counter_bytes>::Word> passes{tiles, counters, tickets, digits, states, most_tiles};
  sort_long_tiles<Traffic, nt, vt, bits, loads, allows_next_early>(passes, pass, [&](u64 begin) {
    return Traffic{keys_out + begin, keys_in + begin, values_out + begin, values_in + begin};
  });
}

}  // namespace bitune
