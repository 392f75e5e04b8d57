#pragma once

// Which bucket a key belongs to.
//
// Splitters, in ascending order, divide the keys. What lies between splitter j - 1 and splitter j is bucket j. Keys that equal splitter j
// are counted apart: they need not be sorted, nor even moved. A frequent key is a splitter, so that it makes no bucket large.

#include "kernels/network/meta.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// The splitters: every so many of the sorted samples, as many as there are buckets but one, and behind them the largest word.
template <class Word>
struct Splitters {
  const Word* samples;
  u32 sample_count;
  u32 buckets;

  /// Splitter j; for every j from buckets - 1 on the largest word.
  BITUNE_DEVICE Word operator[](u32 j) const {
    return j + 1 < buckets ? samples[(j + 1) * u64{sample_count} / buckets] : ~Word{0};
  }
};

/// What the keys of an array are counted in, of each bucket.
struct BucketCounts {
  u32* counts;  ///< 2 numbers for each bucket: keys in it, and keys that equal its splitter

  BITUNE_DEVICE u32 between(u32 bucket) const { return counts[2 * bucket]; }
  BITUNE_DEVICE u32 equal(u32 bucket) const { return counts[2 * bucket + 1]; }
};

/// The splitters as a search tree in the order of a heap: node i's children are 2i and 2i + 1, so that the nodes of a level lie in
/// different banks. Shared memory: 2^levels words.
template <class Word, int levels>
struct SplitterTree {
  Word* nodes;

  /// Loads the tree with all nt threads of the block. No barrier follows.
  template <int nt>
  BITUNE_DEVICE void load(const Splitters<Word>& splitters) const {
    for (u32 node = thread_index(); node < u32{1} << levels; node += nt) {
      if (node == 0) continue;
      int level = 0;
      while (node >> (level + 1) != 0) ++level;
      const u32 place = node - (u32{1} << level);  // in its level
      nodes[node] = splitters[((2 * place + 1) << (levels - level - 1)) - 1];
    }
  }

  /// For each key twice its bucket, and 1 more if it equals the bucket's splitter. Eight searches go in step, so that their loads
  /// overlap.
  template <int from = 0, int vt>
  BITUNE_DEVICE void find(const Word (&keys)[vt], u32 (&found)[vt]) const {
    constexpr int to = smaller_of(from + 8, vt);
    Word not_below[to - from];  // the smallest splitter met that is not below the key
    BITUNE_UNROLL
    for (int r = from; r < to; ++r) {
      not_below[r - from] = ~keys[r];
      found[r] = 1;
    }
    BITUNE_UNROLL
    for (int level = 0; level < levels; ++level) {
      BITUNE_UNROLL
      for (int r = from; r < to; ++r) {
        const Word node = nodes[found[r]];
        const bool right = node < keys[r];
        if (!right) not_below[r - from] = node;
        found[r] = 2 * found[r] + (right ? 1 : 0);
      }
    }
    BITUNE_UNROLL
    for (int r = from; r < to; ++r) {
      found[r] = 2 * (found[r] - (u32{1} << levels)) + (not_below[r - from] == keys[r] ? 1 : 0);
    }
    if constexpr (to < vt) find<to>(keys, found);
  }
};

/// What stands for no counter.
inline constexpr u32 no_counter = 0xffff;

/// Adds 1 to counters[index], in shared memory, for each index but no_counter. Each index becomes index | before << 16, where `before` is
/// what the counter was, as if the keys came one by one. Counts stay below 2^16. All lanes of the warp take part.
///
/// Lanes with equal indices, as sorted keys have, would wait for each other. So where all first indices of the warp are equal, it looks
/// whether the next ones are, too, and adds for all lanes at once.
template <int vt>
BITUNE_DEVICE void count_each(u32* counters, u32 (&indices)[vt]) {
  if (all_of_warp(indices[0] == shuffle(indices[0], 0))) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 first = shuffle(indices[r], 0);
      const bool together = all_of_warp(indices[r] == first) && first != no_counter;
      u32 before = 0;
      if (together) {
        if (lane() == 0) before = atomic_add(counters + first, warp_size);
        before = shuffle(before, 0) + lane();
      } else if (indices[r] != no_counter) {
        before = atomic_add(counters + indices[r], 1);
      }
      indices[r] |= before << 16;
    }
  } else {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (indices[r] != no_counter) indices[r] |= atomic_add(counters + indices[r], 1) << 16;
    }
  }
}

}  // namespace bitune
