#pragma once

// Counting: one reading of the keys counts the digits of all passes, which follow.

#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/radix_digits.cuh"

namespace bitune {

/// Adds to counts[pass][digit] how many of the n keys at `input` have that digit. Each thread loads `loads` vectors at once. A block has
/// `copies` counters of each digit, a power of two. Different lanes use different copies, which lie in different banks: with 32 copies no
/// lane waits for another one. Any grid. Dynamic shared memory: layout::count_digits_words.
template <class Codec, class Payload, int nt, int vector, int loads, int bits, int copies, int counter_bytes>
BITUNE_KERNEL(nt, 1) count_digits(typename Storage<counter_bytes>::Word* counts, const typename Codec::Raw* input, u64 n) {
  using Raw = typename Codec::Raw;
  using Digit = Digits<Codec, bits>;
  using Counter = typename Storage<counter_bytes>::Word;
  constexpr u32 counters = layout::count_digits_words(Codec::bits, bits, copies);
  static_assert(counters % warp_size == 0);
  u32* const all = shared_memory<u32>();
  u32* const mine = all + lane() % copies;
  for (u32 i = thread_index(); i < counters; i += nt) all[i] = 0;
  sync_block();
  begin_dependent_launch();
  const auto add = [&](Raw raw) {
    const auto word = Codec::encode(raw);
    BITUNE_UNROLL
    for (u32 pass = 0; pass < Digit::passes; ++pass) atomic_add(mine + (pass * Digit::values + Digit::of(word, pass)) * copies, 1);
  };
  // Vectors begin at the first aligned key. The keys before it, and those behind the last whole vector, are counted one by one.
  constexpr u64 vector_bytes = vector * sizeof(Raw);
  const u64 ahead = minimum<u64>((vector_bytes - reinterpret_cast<u64>(input) % vector_bytes) % vector_bytes / sizeof(Raw), n);
  const u64 vectors = (n - ahead) / vector;
  const u64 thread = u64{block_index()} * nt + thread_index();
  const u64 threads = u64{block_count()} * nt;
  if (thread < ahead) add(input[thread]);
  if (thread < n - ahead - vectors * vector) add(input[ahead + vectors * vector + thread]);
  for (u64 first = thread; first < vectors; first += threads * loads) {
    Raw raw[loads][vector];
    BITUNE_UNROLL
    for (int l = 0; l < loads; ++l) {
      if (first + l * threads < vectors) load_vector<Raw, vector>(input + ahead + (first + l * threads) * vector, raw[l]);
    }
    BITUNE_UNROLL
    for (int l = 0; l < loads; ++l) {
      if (first + l * threads >= vectors) break;
      BITUNE_UNROLL
      for (int v = 0; v < vector; ++v) add(raw[l][v]);
    }
  }
  sync_block();
  for (u32 i = thread_index(); i < counters; i += nt) {  // whole warps
    u32 count = all[i];
    BITUNE_UNROLL
    for (u32 distance = 1; distance < copies; distance *= 2) count += shuffle_xor(count, distance);
    if (lane() % copies == 0 && count != 0) atomic_add(counts + i / copies, Counter{count});
  }
}

}  // namespace bitune
