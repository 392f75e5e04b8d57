#pragma once

// Scattering: every key to its leaf. A tile's keys are put together by leaf in shared memory first, so that neighbouring threads write
// neighbouring keys. Their order within a leaf is of no matter.

#include "kernels/sample_leaves.cuh"

namespace bitune {

/// Writes the keys as encoded words to `words`, each to its leaf's part of it; those that are filled in nowhere. Grid: a block for
/// every nt * vt keys, at most 2^16. Dynamic shared memory: GroupPrefixSum's, nt * vt words of the key's size, two u32 for each
/// leaf there may be, and as many u16 as words.
template <class Codec, class Payload, int nt, int vt, int vector, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sample_scatter(typename Codec::Raw* words, const u16* buckets, u32* tables, u32 most_leaves, const typename Codec::Raw* input, u64 n) {
  using Raw = typename Codec::Raw;
  constexpr u32 nv = nt * vt;
  using Group = ThreadGroup<nt, 1>;
  const Leaves leaves(tables, most_leaves);
  u32* const scratch = shared_memory<u32>();
  Raw* const tile = reinterpret_cast<Raw*>(scratch + (GroupPrefixSum<Group>::words + 3) / 4 * 4);
  u32* const counts = reinterpret_cast<u32*>(tile + nv);  // of a leaf in this tile; then where its keys begin in the tile
  u32* const shifts = counts + most_leaves;                       // from there to their place in the array
  u16* const owners = reinterpret_cast<u16*>(shifts + most_leaves);
  const u64 begin = u64{block_index()} * nv;
  const u32 count = items_in_tile(begin, n, nv);
  const u32 first = thread_index() * vector;
  begin_dependent_launch();
  const u32 leaf_count = *leaves.count;
  for (u32 leaf = thread_index(); leaf < leaf_count; leaf += nt) counts[leaf] = 0;
  u32 placed[vt];  // the leaf in the lower half, the place among the tile's keys of that leaf in the upper one
  BITUNE_UNROLL
  for (int r = 0; r < vt; r += vector) {
    u16 loaded[vector];
    if (first + r * nt < count) load_vector(buckets + begin + first + r * nt, loaded);  // beyond the last key is room
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) placed[r + v] = first + r * nt + v < count ? leaves.leaf_of[loaded[v]] : no_bucket;
  }
  sync_block();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) placed[r] |= count_one(counts, placed[r]) << 16;
  sync_block();
  GroupPrefixSum<Group> keys_before(scratch);
  for (u32 base = 0; base < leaf_count; base += nt) {
    const u32 leaf = base + thread_index();
    const u32 here = leaf < leaf_count ? counts[leaf] : 0;
    const u32 before = keys_before(here);
    if (leaf < leaf_count) {
      counts[leaf] = before;
      if (here != 0) shifts[leaf] = atomic_add(leaves.cursors + leaf, here) - before;
    }
  }
  sync_block();
  // The keys are loaded no sooner: threads that hold few registers are many, and none waits for another's load.
  BITUNE_UNROLL
  for (int r = 0; r < vt; r += vector) {
    using Round = StripedTile<Codec, Payload, nt, vector, vector>;
    const u32 passed = r * nt;
    typename Codec::Word keys[vector];
    Round::load(input + begin + passed, passed < count ? minimum(count - passed, Round::nv) : 0, keys);
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) {
      const u32 owner = placed[r + v] & 0xffff;
      if (owner == no_bucket) continue;
      const u32 at = counts[owner] + (placed[r + v] >> 16);
      tile[at] = static_cast<Raw>(keys[v]);
      owners[at] = static_cast<u16>(owner);
    }
  }
  sync_block();
  for (u32 i = thread_index(); i < keys_before.carry; i += nt) words[shifts[owners[i]] + i] = tile[i];
}

}  // namespace bitune
