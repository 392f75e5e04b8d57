#pragma once

// Which bucket a key belongs to, how full the buckets are, and which of them a tile takes together.
//
// `splitters` - 1 splitters, ascending, make 2 * splitters buckets: bucket 2j holds the keys between splitter j - 1 and splitter j,
// bucket 2j + 1 those that equal splitter j. A key that is frequent is a splitter (else it is not that frequent), so that a bucket
// of more keys than fit a tile holds equal ones, which need no sorting.

#include "kernels/block_sum.cuh"
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
template <class Codec, class Payload, int nt, int vt, int vector, int splitters>
BITUNE_KERNEL(nt, 0)
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

/// The leaves: neighbouring buckets that fit a tile together, or a part of a bucket of equal keys. Tables in global memory.
struct Leaves {
  u32* count;    ///< 1 number: how many leaves there are
  u32* begins;   ///< of each, where its first key goes
  u32* sizes;    ///< of each, its keys: more than a tile only in a bucket of different keys that grew too large
  u32* filling;  ///< of each, the splitter that all of its keys equal, or no_bucket
  u32* cursors;  ///< of each, where the next key goes
  u16* leaf_of;  ///< of each bucket, its leaf; no_bucket where its keys are filled in

  /// Bytes of the tables for so many leaves and buckets: one behind the other, from `memory` on.
  BITUNE_DEVICE Leaves(u32* memory, u32 most)
      : count(memory), begins(memory + 1), sizes(begins + most), filling(sizes + most), cursors(filling + most),
        leaf_of(reinterpret_cast<u16*>(cursors + most)) {}
};

/// Packs the buckets into leaves of at most `tile` keys, from left to right, each as full as it gets. Grid: one block. Dynamic shared
/// memory: GroupPrefixSum's twice, then 2 * splitters + 1 u32, and three times as many u16.
///
/// next(b), where the leaf that begins with bucket b ends, is found for all b at once. The leaves are those that are reached from
/// bucket 0: in the k-th round the leaves of up to 2^k steps from there mark those of as many more.
template <int nt, int splitters>
BITUNE_KERNEL(nt, 1)
sample_leaves(u32* tables, u32 most_leaves, const u32* totals, u32 tile) {
  constexpr u32 buckets = 2 * splitters;
  using Group = ThreadGroup<nt, 1>;
  const Leaves leaves(tables, most_leaves);
  u32* const begins = shared_memory<u32>() + 2 * GroupPrefixSum<Group>::words;
  u16* const ends = reinterpret_cast<u16*>(begins + buckets + 1);
  u16* const next = ends + buckets + 1;
  u16* const marked = next + buckets + 1;
  begin_dependent_launch();

  GroupPrefixSum<Group> keys_before(shared_memory<u32>());
  for (u32 base = 0; base < buckets; base += nt) {
    const u32 bucket = base + thread_index();
    const u32 total = bucket < buckets ? totals[bucket] : 0;
    const u32 before = keys_before(total);
    if (bucket < buckets) begins[bucket] = before;
  }
  if (thread_index() == 0) begins[buckets] = keys_before.carry;
  sync_block();
  for (u32 bucket = thread_index(); bucket <= buckets; bucket += nt) {
    u32 low = bucket;  // the last one that the leaf may end before
    for (u32 size = buckets - bucket; size > 0;) {
      const u32 half = (size + 1) / 2;
      if (begins[low + half] - begins[bucket] <= tile) low += half;
      size -= half;
    }
    ends[bucket] = static_cast<u16>(minimum(maximum(low, bucket + 1), buckets));
    next[bucket] = ends[bucket];
    marked[bucket] = bucket == 0;
  }
  sync_block();
  constexpr int held = (buckets + nt) / nt;  // of buckets + 1, by a thread
  while (next[0] != buckets) {
    u16 to_mark[held];
    u16 jumps[held];
    BITUNE_UNROLL
    for (int i = 0; i < held; ++i) {
      const u32 bucket = minimum(i * nt + thread_index(), buckets);
      to_mark[i] = marked[bucket] != 0 ? next[bucket] : u16{0};
      jumps[i] = next[next[bucket]];
    }
    sync_block();
    BITUNE_UNROLL
    for (int i = 0; i < held; ++i) {
      const u32 bucket = i * nt + thread_index();
      if (to_mark[i] != 0) marked[to_mark[i]] = 1;
      if (bucket <= buckets) next[bucket] = jumps[i];
    }
    sync_block();
  }

  GroupPrefixSum<Group> leaves_before(shared_memory<u32>() + GroupPrefixSum<Group>::words);
  for (u32 base = 0; base < buckets; base += nt) {
    const u32 bucket = base + thread_index();
    const bool first = bucket < buckets && marked[bucket] != 0;
    const u32 size = first ? begins[ends[bucket]] - begins[bucket] : 0;
    const bool equal = size > tile && bucket % 2 == 1;  // a bucket that is too large is alone
    const u32 parts = equal ? (size + tile - 1) / tile : (first ? 1 : 0);
    const u32 before = leaves_before(parts);
    for (u32 i = 0; i < parts; ++i) {
      const u32 leaf = before + i;
      leaves.begins[leaf] = leaves.cursors[leaf] = begins[bucket] + i * tile;
      leaves.sizes[leaf] = equal ? minimum(tile, size - i * tile) : size;
      leaves.filling[leaf] = equal ? bucket / 2 : no_bucket;
    }
    if (bucket < buckets) leaves.leaf_of[bucket] = static_cast<u16>(equal ? no_bucket : (first ? before : before - 1));
  }
  if (thread_index() == 0) *leaves.count = leaves_before.carry;
}

}  // namespace bitune
