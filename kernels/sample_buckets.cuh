#pragma once

// Which bucket a key belongs to, and how full the buckets are.
//
// `splitters` - 1 splitters, ascending, make 2 * splitters buckets: bucket 2j holds the keys between splitter j - 1 and splitter j,
// bucket 2j + 1 those that equal splitter j. A key that is frequent is a splitter (else it is not that frequent), so that a bucket
// of more keys than fit a tile holds equal ones, which need no sorting.

#include "kernels/meta.cuh"
#include "kernels/platform_votes.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The splitters as a search tree in the order of a heap: node i's children are 2i and 2i + 1, so that the nodes of a level lie in
/// different banks. Shared memory: `splitters` words.
template <class Word, int splitters>
struct SplitterTree {
  static constexpr int levels = log2_of(splitters);
  static_assert(is_power_of_two(splitters) && splitters <= 1 << 15);

  Word* nodes;

  /// Loads the tree with all nt threads of the block. No barrier follows.
  template <int nt>
  BITUNE_DEVICE void load(const Word* sorted) const {
    for (int level = 0; level < levels; ++level) {
      for (u32 i = thread_index(); i < u32{1} << level; i += nt) {
        nodes[(u32{1} << level) + i] = sorted[((2 * i + 1) << (levels - level - 1)) - 1];
      }
    }
  }

  /// The keys' buckets. All searches go in step, so that their loads overlap.
  template <int vt>
  BITUNE_DEVICE void find(const Word (&keys)[vt], u32 (&buckets)[vt]) const {
    Word not_below[vt];  // the smallest splitter met that is not below the key
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      not_below[r] = ~keys[r];
      buckets[r] = 1;
    }
    BITUNE_UNROLL
    for (int level = 0; level < levels; ++level) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const Word node = nodes[buckets[r]];
        const bool right = node < keys[r];
        if (!right) not_below[r] = node;
        buckets[r] = 2 * buckets[r] + (right ? 1 : 0);
      }
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) buckets[r] = 2 * (buckets[r] - splitters) + (not_below[r] == keys[r] ? 1 : 0);
  }
};

/// What stands for "in no bucket".
inline constexpr u32 no_bucket = 0xffff;

/// Adds 1 to counters[index], in shared memory, and returns what was there before, as if the lanes came one by one; nothing where index
/// is no_bucket. A warp's equal indices, as sorted keys have, would wait for each other. All lanes of the warp take part.
BITUNE_DEVICE u32 count_one(u32* counters, u32 index) {
  const u32 first = shuffle(index, 0);
  if (all_of_warp(index == first)) {
    u32 before = 0;
    if (lane() == 0 && first != no_bucket) before = atomic_add(counters + first, warp_size);
    return shuffle(before, 0) + lane();
  }
  return index == no_bucket ? 0 : atomic_add(counters + index, 1);
}

/// Finds the bucket of every key and stores it in `buckets`; adds the number of keys in each to `totals`. Grid: any number of blocks,
/// which take tiles of nt * vt keys in turn. Dynamic shared memory: SplitterTree's, then 2 * splitters u32.
template <class Codec, class Payload, int nt, int vt, int vector, int splitters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sample_count(u16* buckets, u32* totals, const typename Codec::Word* sorted_splitters, const typename Codec::Raw* input, u64 n) {
  using Word = typename Codec::Word;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  const SplitterTree<Word, splitters> tree{shared_memory<Word>()};
  u32* const counts = reinterpret_cast<u32*>(tree.nodes + splitters);
  begin_dependent_launch();
  tree.template load<nt>(sorted_splitters);
  for (u32 i = thread_index(); i < 2 * splitters; i += nt) counts[i] = 0;
  sync_block();
  for (u64 begin = u64{block_index()} * Memory::nv; begin < n; begin += u64{block_count()} * Memory::nv) {
    const u32 count = items_in_tile(begin, n, Memory::nv);
    Word keys[vt];
    u32 found[vt];
    Memory::load(input + begin, count, keys);
    tree.find(keys, found);
    u16* const to = buckets + begin + thread_index() * vector;  // the workspace is aligned, and a tile a multiple of vectors
    BITUNE_UNROLL
    for (int r = 0; r < vt; r += vector) {
      const u32 at = r * nt;
      u16 stored[vector];
      BITUNE_UNROLL
      for (int v = 0; v < vector; ++v) {
        if (thread_index() * vector + at + v >= count) found[r + v] = no_bucket;
        count_one(counts, found[r + v]);
        stored[v] = static_cast<u16>(found[r + v]);
      }
      if (thread_index() * vector + at < count) store_vector<u16, vector>(to + at, stored);  // what is beyond the last key is room
    }
  }
  sync_block();
  for (u32 i = thread_index(); i < 2 * splitters; i += nt) {
    if (counts[i] != 0) atomic_add(totals + i, counts[i]);
  }
}

}  // namespace bitune
