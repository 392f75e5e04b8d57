#pragma once

// The first k keys of an array whose places need more than 32 bits: those of parts of it, and of these the first ones. What lies between the
// launches of others that do so: how many keys each part has, and where what is first among all stands in the array.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/first_keys.cuh"
#include "kernels/network/launch.cuh"

namespace bitune {

/// How many keys the array's parts have: numbers as wide as the call's `lengths`, 8 bytes apart; and behind them that k keys of each part are
/// all that is chosen from. Grid: a block.
template <int nt>
BITUNE_KERNEL(nt, 1)
count_parts(u8* out, const u8* lengths, u64 length_bytes, u64 n, u64 part, u64 parts, u64 k) {
  begin_launch();
  const u64 length = counted_keys(lengths, length_bytes, 0, n);
  for (u64 i = thread_index(); i <= parts; i += nt) {
    const u64 begin = minimum(i * part, length);
    const u64 count = i == parts ? parts * k : minimum(part, length - begin);
    if (length_bytes == 4) {
      *reinterpret_cast<u32*>(out + 8 * i) = static_cast<u32>(count);
    } else {
      *reinterpret_cast<u64*>(out + 8 * i) = count;
    }
  }
}

/// Writes the indices and values of the first k. firsts: which of the parts' first keys they are. places: where each of those stands in its
/// part.
template <int value_bytes, int index_bytes, int nt>
BITUNE_KERNEL(nt, 1)
carry_from_parts(typename CarriedValue<value_bytes>::Type* values_out, const typename CarriedValue<value_bytes>::Type* values_in,
                 typename CarriedValue<index_bytes>::Type* indices_out, const u32* firsts, const u32* places, u64 part, u64 k) {
  begin_launch();
  for (u64 i = u64{block_index()} * nt + thread_index(); i < k; i += u64{block_count()} * nt) {
    const u32 place = places[firsts[i]];
    const bool exists = place != no_index<u32>();
    const u64 index = firsts[i] / k * part + place;
    using Index = typename CarriedValue<index_bytes>::Type;
    using Value = typename CarriedValue<value_bytes>::Type;
    if constexpr (value_bytes != 0) values_out[i] = exists ? values_in[index] : Value{};
    if constexpr (index_bytes != 0) indices_out[i] = exists ? static_cast<Index>(index) : no_index<Index>();
  }
}

}  // namespace bitune
