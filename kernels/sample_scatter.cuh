#pragma once

// Scattering: every key to its leaf. A tile's keys are put together by leaf in shared memory first, so that neighbouring threads write
// neighbouring keys. Their order within a leaf is of no matter.

#include "kernels/sample_buckets.cuh"

namespace bitune {

/// Writes the keys as encoded words to `words`, each to its leaf's part of it; those of equal keys' buckets nowhere. Grid: a block for
/// every nt * vt keys. Dynamic shared memory: GroupPrefixSum's, two u32 for each leaf there may be, nt * vt words of the key's
/// size, and as many u16.
template <class Codec, class Payload, int nt, int vt, int vector>
BITUNE_KERNEL(nt, 0)
sample_scatter(typename Codec::Raw* words, const u16* buckets, u32* tables, u32 most_leaves, const typename Codec::Raw* input, u64 n) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  using Group = ThreadGroup<nt, 1>;
  const Leaves leaves(tables, most_leaves);
  u32* const scratch = shared_memory<u32>();
  Raw* const tile = reinterpret_cast<Raw*>(scratch + (GroupPrefixSum<Group>::words + 3) / 4 * 4);
  u32* const counts = reinterpret_cast<u32*>(tile + Memory::nv);  // of a leaf in this tile; then where its keys begin in the tile
  u32* const shifts = counts + most_leaves;                       // from there to their place in the array
  u16* const owners = reinterpret_cast<u16*>(shifts + most_leaves);
  const u64 begin = u64{block_index()} * Memory::nv;
  const u32 count = items_in_tile(begin, n, Memory::nv);
  begin_dependent_launch();
  const u32 leaf_count = *leaves.count;
  Word keys[vt];
  Memory::load(input + begin, count, keys);
  for (u32 leaf = thread_index(); leaf < leaf_count; leaf += nt) counts[leaf] = 0;
  u32 owner[vt];
  const u32 first = thread_index() * vector;
  BITUNE_UNROLL
  for (int r = 0; r < vt; r += vector) {
    u16 loaded[vector];
    if (first + r * nt < count) load_vector(buckets + begin + first + r * nt, loaded);  // beyond the last key is room
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) owner[r + v] = first + r * nt + v < count ? leaves.leaf_of[loaded[v]] : no_bucket;
  }
  sync_block();
  u32 place[vt];  // among those of its leaf
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) place[r] = count_one(counts, owner[r]);
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
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (owner[r] == no_bucket) continue;
    const u32 at = counts[owner[r]] + place[r];
    tile[at] = static_cast<Raw>(keys[r]);
    owners[at] = static_cast<u16>(owner[r]);
  }
  sync_block();
  for (u32 i = thread_index(); i < keys_before.carry; i += nt) words[shifts[owners[i]] + i] = tile[i];
}

}  // namespace bitune
