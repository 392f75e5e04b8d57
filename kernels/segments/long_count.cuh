#pragma once

// Counting, before the passes over long segments: one reading of the keys counts the digits of all passes, for each segment.

#include "kernels/network/launch.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/segments/long_tiles.cuh"

namespace bitune {

/// A block's counters of all digits, in shared memory: `copies` of each, a power of two. Different lanes use different copies, which lie in
/// different banks.
template <class Codec, int nt, int bits, int copies>
struct DigitCounters {
  using Raw = typename Codec::Raw;
  using Digit = Digits<Codec, bits>;
  static constexpr u32 words = layout::count_digits_words(Codec::bits, bits, copies);
  static_assert(words % warp_size == 0 && nt % warp_size == 0);

  u32* all;

  BITUNE_DEVICE void clear() const {
    for (u32 i = thread_index(); i < words; i += nt) all[i] = 0;
  }

  BITUNE_DEVICE void add(Raw raw) const {
    const auto word = Codec::encode(raw);
    BITUNE_UNROLL
    for (u32 pass = 0; pass < Digit::passes; ++pass) {
      atomic_add(all + (pass * Digit::values + Digit::of(word, pass)) * copies + lane() % copies, 1);
    }
  }

  /// Counts n keys. Each thread loads `loads` vectors at once. Vectors begin at the first aligned key. The keys before it, and those behind
  /// the last whole vector, are counted one by one.
  template <int vector, int loads>
  BITUNE_DEVICE void count(const Raw* keys, u64 n) const {
    constexpr u64 vector_bytes = vector * sizeof(Raw);
    const u64 ahead = minimum<u64>((vector_bytes - reinterpret_cast<u64>(keys) % vector_bytes) % vector_bytes / sizeof(Raw), n);
    const u64 vectors = (n - ahead) / vector;
    const u64 tail = ahead + vectors * vector;
    if (thread_index() < ahead) add(keys[thread_index()]);
    if (thread_index() < n - tail) add(keys[tail + thread_index()]);
    for (u64 first = thread_index(); first < vectors; first += nt * loads) {
      Raw raw[loads][vector];
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) {
        if (first + l * nt < vectors) load_vector<Raw, vector>(keys + ahead + (first + l * nt) * vector, raw[l]);
      }
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) {
        if (first + l * nt >= vectors) break;
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) add(raw[l][v]);
      }
    }
  }

  /// Adds what was counted to the counters [passes][values] in memory, and clears it.
  template <class Counter>
  BITUNE_DEVICE void move_to(Counter* counters) const {
    for (u32 i = thread_index(); i < words; i += nt) {  // whole warps
      u32 count = all[i];
      all[i] = 0;
      BITUNE_UNROLL
      for (u32 distance = 1; distance < copies; distance *= 2) count += shuffle_xor(count, distance);
      if (lane() % copies == 0 && count != 0) atomic_add(counters + i / copies, Counter{count});
    }
  }
};

/// Counts the digits of each listed segment that has several tiles of tile_keys keys: adds them to digits[segment][pass][digit]. Each block
/// has neighbouring tiles, so that it moves its counters to memory as seldom as can be. Any grid. Dynamic shared memory:
/// layout::count_digits_words.
template <class Codec, class Payload, int vector, int loads, int bits, int copies, u32 tile_keys, int counter_bytes>
BITUNE_KERNEL(layout::long_count_threads(copies), 1)
count_long_digits(typename Storage<counter_bytes>::Word* digits, const typename Codec::Raw* input, const LongTile* tiles,
                  ListCounters* counters) {
  using Counters = DigitCounters<Codec, layout::long_count_threads(copies), bits, copies>;
  const Counters counted{shared_memory<u32>()};
  counted.clear();
  begin_dependent_launch();
  const u64 tile_count = LongSegments{nullptr, counters, 0}.tiles();
  const u32 end = static_cast<u32>(tile_count * (block_index() + 1) / block_count());
  for (u32 tile = static_cast<u32>(tile_count * block_index() / block_count()); tile < end;) {
    const LongTile first = tiles[tile];
    const u64 begin = u64{first.index} * tile_keys;
    const u64 keys = minimum<u64>(first.length - begin, u64{end - tile} * tile_keys);
    tile += static_cast<u32>((keys + tile_keys - 1) / tile_keys);
    if (first.length <= tile_keys) continue;
    sync_block();
    counted.template count<vector, loads>(input + first.begin + begin, keys);
    sync_block();
    counted.move_to(digits + u64{first.segment} * (Counters::words / copies));
  }
}

}  // namespace bitune
