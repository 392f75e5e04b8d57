#pragma once

// Writing: the last of the counting variant's kernels. A block writes a part of the result, whatever keys that has.

#include "kernels/counting/counting.cuh"
#include "kernels/network/block_sum.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// The index of the last of `count` ascending places that is not above `at`. The first one is not.
BITUNE_DEVICE u32 last_not_above(const u32* places, u32 count, u32 at) {
  u32 found = 0;
  for (u32 size = count; size > 1;) {
    const u32 half = size / 2;
    if (places[found + half] <= at) found += half;
    size -= half;
  }
  return found;
}

/// Writes the n < 2^31 keys that were counted at `all`, in order, to `keys`. Each block writes `share` of them, which is a multiple of
/// `vector`. Grid: a block for every share. nt is at least ValueCounts::values_of_bin, and at least ValueCounts::bins. Dynamic shared memory:
/// layout::write_counted_words.
template <class Codec, class Payload, int nt, int vector>
BITUNE_KERNEL(nt, 1) write_counted(typename Codec::Raw* keys, u32* all, u64 n, u32 share) {
  using Raw = typename Codec::Raw;
  using Counts = ValueCounts<Codec::bits>;
  static_assert(nt % Counts::values_of_bin == 0 && nt >= Counts::bins);
  const Counts counts{all};
  GroupPrefixSum<ThreadGroup<nt, 1>> keys_before(shared_memory<u32>());
  u32* const bin_places = keys_before.shared + keys_before.words;  // in the result
  u32* const places = bin_places + Counts::bins;
  static_assert(keys_before.words + Counts::bins + nt + 1 == layout::write_counted_words(Codec::bits, nt));
  begin_launch();

  const u32 bin = thread_index();
  const u32 of_bin = bin < Counts::bins ? *counts.bin(bin) : 0;
  const u32 before_bin = keys_before(of_bin);
  if (bin < Counts::bins) bin_places[bin] = before_bin;
  sync_block();
  const u32 begin = block_index() * share;
  const u32 end = static_cast<u32>(minimum<u64>(u64{begin} + share, n));
  const bool aligned = reinterpret_cast<u64>(keys) % (vector * sizeof(Raw)) == 0;
  for (u32 at = begin; at < end;) {
    // A value for each thread, from the first one of the bin on that the result has at this place.
    const u32 first_bin = last_not_above(bin_places, Counts::bins, at);
    const u32 first = first_bin * Counts::values_of_bin;
    const u32 value = first + thread_index();
    keys_before.carry = bin_places[first_bin];
    places[thread_index()] = keys_before(value < Counts::values ? *counts.value(value) : 0);
    if (thread_index() == 0) places[nt] = keys_before.carry;
    sync_block();
    const u32 stop = minimum(end, places[nt]);
    for (u32 v = at / vector + thread_index(); v * vector < stop; v += nt) {
      const u32 from = maximum(v * vector, at);
      const u32 to = minimum((v + 1) * vector, stop);
      u32 i = last_not_above(places, nt, from);
      u32 next = places[i + 1];
      Raw raw[vector];
      BITUNE_UNROLL
      for (int k = 0; k < vector; ++k) {
        const u32 place = v * vector + k;
        if (place >= from && place < to) {
          while (place >= next) {
            ++i;
            next = places[i + 1];
          }
        }
        raw[k] = Codec::decode(first + i);
      }
      if (aligned && to - from == vector) {
        store_vector<Raw, vector>(keys + from, raw);
      } else {
        BITUNE_UNROLL
        for (int k = 0; k < vector; ++k) {
          if (v * vector + k >= from && v * vector + k < to) keys[v * vector + k] = raw[k];
        }
      }
    }
    at = stop;
  }
}

}  // namespace bitune
