#pragma once

// Partitioning: the second of the samplesort variant's kernels. Every key goes to its bucket's part of memory. First a block puts the keys
// of its tile in the order of their buckets, in shared memory. So neighbouring threads write neighbouring keys. The order within a bucket
// does not matter.

#include "kernels/network/block_sum.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/samplesort/sample_buckets.cuh"
#include "kernels/samplesort/samplesort_layout.hpp"

namespace bitune {

/// Writes the keys as encoded words to `words`, where each bucket has `capacity` of them at most. Keys beyond that go to `spilled`.
/// Keys that equal a splitter are only counted. `counts`: BucketCounts, and behind them the number of keys spilled; all 0 at first.
/// Grid: a block for every nt * vt keys, which are at most 2^16. Dynamic shared memory: layout::partition_parts.
template <class Codec, class Payload, int nt, int vt, int vector, int levels, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sample_partition(typename Codec::Raw* words, typename Codec::Raw* spilled, u32* counts, u32 buckets, u32 capacity,
                 const typename Codec::Word* samples, u32 sample_count, const typename Codec::Raw* input, u64 n) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Memory = StripedTile<Codec, Payload, nt, vt, vector>;
  using Group = ThreadGroup<nt, 1>;
  constexpr layout::PartitionParts parts = layout::partition_parts(nt, vt, levels, sizeof(Word), sizeof(Raw));
  u32* const scratch = shared_memory<u32>();
  const SplitterTree<Word, levels> tree{reinterpret_cast<Word*>(scratch + parts.tree / sizeof(u32))};
  u32* const shifts = reinterpret_cast<u32*>(tree.nodes);  // later, where the tree was: from a key's place in the tile to that in its bucket
  u32* const here = reinterpret_cast<u32*>(tree.nodes + (parts.here - parts.tree) / sizeof(Word));  // as counts, of the tile; then where a bucket's keys begin in it
  Raw* const tile = reinterpret_cast<Raw*>(here + (parts.tile - parts.here) / sizeof(u32));
  u16* const owners = reinterpret_cast<u16*>(tile + (parts.owners - parts.tile) / sizeof(Raw));
  const u64 begin = u64{block_index()} * Memory::nv;
  const u32 count = items_in_tile(begin, n, Memory::nv);
  // The launch before began this one when the input was there (sample_sort.cuh).
  Word keys[vt];
  Memory::load(input + begin, count, keys);
  for (u32 i = thread_index(); i < 2 * buckets; i += nt) here[i] = 0;
  begin_launch();
  tree.template load<nt>({samples, sample_count, buckets});
  sync_block();

  // In the lower half the counter of each key; in the upper half its place among the keys that this one counts.
  u32 placed[vt];
  tree.find(keys, placed);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (thread_index() * vector + r / vector * vector * nt + r % vector >= count) placed[r] = no_counter;
  }
  count_each(here, placed);
  sync_block();
  GroupPrefixSum<Group> keys_before(scratch);
  for (u32 base = 0; base < buckets; base += nt) {
    const u32 bucket = base + thread_index();
    const u32 between = bucket < buckets ? here[2 * bucket] : 0;
    const u32 equal = bucket < buckets ? here[2 * bucket + 1] : 0;
    const u32 before = keys_before(between);
    if (between != 0) shifts[bucket] = atomic_add(counts + 2 * bucket, between) - before;
    if (equal != 0) atomic_add(counts + 2 * bucket + 1, equal);
    if (bucket < buckets) here[2 * bucket] = before;
  }
  sync_block();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 counter = placed[r] & 0xffff;
    if (counter % 2 == 1) continue;  // equals a splitter, or is no key
    const u32 at = here[counter] + (placed[r] >> 16);
    tile[at] = static_cast<Raw>(keys[r]);
    owners[at] = static_cast<u16>(counter / 2);
  }
  sync_block();
  for (u32 i = thread_index(); i < keys_before.carry; i += nt) {
    const u32 bucket = owners[i];
    const u32 place = shifts[bucket] + i;
    if (place < capacity) {
      words[u64{bucket} * capacity + place] = tile[i];
    } else {
      spilled[atomic_add(counts + 2 * buckets, 1)] = tile[i];
    }
  }
}

}  // namespace bitune
