#pragma once

// Counting, before the passes over long segments: one reading of the keys counts the digits of all of them, for each segment.

#include "kernels/network/tile_io.cuh"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/segments/long_tiles.cuh"

namespace bitune {

/// A block's counters of the digits of `turns` passes from first_pass on, in shared memory: `copies` of each, a power of two from 4 on. Different
/// lanes use different copies, which lie in different banks.
template <class Traffic, int nt, int bits, int first_pass, int turns, int copies>
struct DigitCounters {
  using Codec = typename Traffic::Codec;
  using Raw = typename Codec::Raw;
  using Digit = Digits<Codec, bits>;
  static constexpr u32 counters = turns * Digit::values;
  static constexpr u32 words = counters * copies;
  static constexpr int at_once = 4;  ///< copies that a thread loads as one vector
  static_assert(copies % at_once == 0);

  u32* all;

  BITUNE_DEVICE void clear() const {
    constexpr u32 zeros[at_once] = {};
    for (u32 i = thread_index() * at_once; i < words; i += nt * at_once) store_vector<u32, at_once>(all + i, zeros);
  }

  BITUNE_DEVICE void add(Raw raw) const {
    const auto word = Traffic::ordered(Codec::encode(raw));
    BITUNE_UNROLL
    for (u32 turn = 0; turn < turns; ++turn) {
      atomic_add(all + (turn * Digit::values + Digit::of(word, first_pass + turn)) * copies + lane() % copies, 1);
    }
  }

  /// Counts n keys. Each thread loads `loads` vectors at once, while it counts those before. Vectors begin at the first aligned key. The keys
  /// before it, and those behind the last whole vector, are counted one by one.
  template <int vector, int loads>
  BITUNE_DEVICE void count(const Raw* keys, u64 n) const {
    constexpr u64 vector_bytes = vector * sizeof(Raw);
    const u64 ahead = minimum<u64>((vector_bytes - reinterpret_cast<u64>(keys) % vector_bytes) % vector_bytes / sizeof(Raw), n);
    const u64 vectors = (n - ahead) / vector;
    const u64 tail = ahead + vectors * vector;
    if (thread_index() < ahead) add(keys[thread_index()]);
    if (thread_index() < n - tail) add(keys[tail + thread_index()]);
    Raw next[loads][vector];
    const auto load = [&](u64 first) {
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) {
        if (first + l * nt < vectors) load_vector<Raw, vector>(keys + ahead + (first + l * nt) * vector, next[l]);
      }
    };
    load(thread_index());
    for (u64 first = thread_index(); first < vectors; first += nt * loads) {
      Raw raw[loads][vector];
      BITUNE_UNROLL
      for (int i = 0; i < loads * vector; ++i) raw[i / vector][i % vector] = next[i / vector][i % vector];
      load(first + nt * loads);
      BITUNE_UNROLL
      for (int l = 0; l < loads; ++l) {
        if (first + l * nt >= vectors) break;
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) add(raw[l][v]);
      }
    }
  }

  /// Adds what was counted to the counters [turns][values] in memory, and clears it.
  template <class Counter>
  BITUNE_DEVICE void move_to(Counter* counters) const {
    constexpr u32 zeros[at_once] = {};
    constexpr u32 vectors = copies / at_once;
    for (u32 i = thread_index(); i < DigitCounters::counters; i += nt) {
      // Neighbours whose copies lie in the same banks begin with different ones.
      const u32 first = thread_index() * copies / warp_size;
      u32 count = 0;
      BITUNE_UNROLL
      for (u32 v = 0; v < vectors; ++v) {
        u32* const some = all + i * copies + (first + v) % vectors * at_once;
        u32 counts[at_once];
        load_vector<u32, at_once>(some, counts);
        store_vector<u32, at_once>(some, zeros);
        BITUNE_UNROLL
        for (int c = 0; c < at_once; ++c) count += counts[c];
      }
      if (count != 0) atomic_add(counters + i, Counter{count});
    }
  }
};

/// Counts the digits of the segments' keys in tiles [tile, end): adds them to digits[segment][turn][digit]. Neighbouring tiles, so that counters
/// go to memory as seldom as can be. A segment that has one tile is not counted. By a block.
template <class Counters, int vector, int loads, u32 tile_keys, class Counter>
BITUNE_DEVICE void count_long_tiles(const Counters& counted, u32 tile, u32 end, const LongTile* tiles, const typename Counters::Raw* input,
                                    Counter* digits) {
  counted.clear();
  while (tile < end) {
    const LongTile first = tiles[tile];
    const u64 begin = u64{first.index} * tile_keys;
    const u64 keys = minimum<u64>(first.length - begin, u64{end - tile} * tile_keys);
    tile += static_cast<u32>((keys + tile_keys - 1) / tile_keys);
    if (first.length <= tile_keys) continue;
    sync_block();
    counted.template count<vector, loads>(input + first.begin + begin, keys);
    sync_block();
    counted.move_to(digits + u64{first.segment} * Counters::counters);
  }
}

}  // namespace bitune
