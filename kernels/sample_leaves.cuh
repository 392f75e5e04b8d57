#pragma once

// Leaves: which buckets a tile takes together.

#include "kernels/block_sum.cuh"
#include "kernels/sample_buckets.cuh"

namespace bitune {

/// The leaves: neighbouring buckets that fit a tile together, or a part of a bucket of equal keys. Tables in global memory.
struct Leaves {
  u32* count;    ///< 1 number: how many leaves there are
  u32* begins;   ///< of each, where its first key goes
  u32* sizes;    ///< of each, its keys: more than a tile only in a bucket of different keys that grew too large
  u32* filling;  ///< of each, the splitter that all of its keys equal, or no_bucket
  u32* cursors;  ///< of each, where the next key goes
  u16* leaf_of;  ///< of each bucket, its leaf; no_bucket where its keys are filled in

  /// The tables of at most so many leaves, one behind the other, from `memory` on.
  BITUNE_DEVICE Leaves(u32* memory, u32 most)
      : count(memory), begins(memory + 1), sizes(begins + most), filling(sizes + most), cursors(filling + most),
        leaf_of(reinterpret_cast<u16*>(cursors + most)) {}
};

/// Where each bucket's keys begin, and at the end how many there are, in shared memory, spread so that threads with `held`
/// neighbours each meet no bank twice.
template <int nt, u32 buckets>
struct BucketBegins {
  static constexpr u32 held = buckets / nt;
  static constexpr u32 words = buckets + buckets / held + 1;
  static_assert(held % 4 == 0);

  u32* memory;

  BITUNE_DEVICE u32& operator[](u32 bucket) const { return memory[bucket + bucket / held]; }

  /// Sums the totals up. A barrier follows. scratch: GroupPrefixSum's.
  BITUNE_DEVICE void load(const u32* totals, u32* scratch) const {
    u32 values[held];
    const u32 first = thread_index() * held;
    BITUNE_UNROLL
    for (u32 i = 0; i < held; i += 4) load_vector(totals + first + i, *reinterpret_cast<u32(*)[4]>(values + i));
    u32 sum = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i < held; ++i) sum += values[i];
    GroupPrefixSum<ThreadGroup<nt, 1>> keys_before(scratch);
    u32 begin = keys_before(sum);
    BITUNE_UNROLL
    for (u32 i = 0; i < held; ++i) {
      (*this)[first + i] = begin;
      begin += values[i];
    }
    if (thread_index() == nt - 1) (*this)[buckets] = begin;
    sync_block();
  }
};

/// Packs the buckets into leaves of at most `tile` keys, as full as they get. The buckets are divided into `stretches` (a power of
/// two) equal ones, each the work of a warp: only a stretch's last leaf is less full than it might be. Grid: one block.
/// Dynamic shared memory: GroupPrefixSum's twice, BucketBegins', two u32 for each stretch, and three times as many u16 as buckets.
template <int nt, int splitters>
BITUNE_KERNEL(nt, 1)
sample_leaves(u32* tables, u32 most_leaves, const u32* totals, u32 tile, u32 stretches) {
  constexpr u32 buckets = 2 * splitters;
  using Group = ThreadGroup<nt, 1>;
  const Leaves leaves(tables, most_leaves);
  u32* const scratch = shared_memory<u32>();
  const BucketBegins<nt, buckets> begins{scratch + 2 * GroupPrefixSum<Group>::words};
  u32* const packs_in = begins.memory + begins.words;  // of each stretch: neighbours that fit together, or a bucket that does not fit
  u32* const leaves_in = packs_in + stretches;         // of each stretch; then those before it
  u16* const bucket_of = reinterpret_cast<u16*>(leaves_in + stretches);  // a pack's first bucket
  u16* const leaf_of = bucket_of + buckets;                              // and leaf, counted from the stretch's
  u16* const leaf_of_bucket = leaf_of + buckets;                         // likewise; no_bucket where it is filled in
  const u32 length = buckets / stretches;
  begin_dependent_launch();
  begins.load(totals, scratch);

  // A bucket that does not fit is alone: of equal keys, it is as many leaves as it fills.
  const auto parts_of = [&](u32 bucket, u32 size) { return size > tile && bucket % 2 == 1 ? (size + tile - 1) / tile : 1; };
  for (u32 stretch = warp_index(); stretch < stretches; stretch += nt / warp_size) {
    const u32 end = (stretch + 1) * length;
    u32 pack = stretch * length;
    u32 leaf = 0;
    for (u32 bucket = pack; bucket < end; ++pack) {
      u32 next = bucket;  // as far as all keys fit
      for (u32 fitting = warp_size; fitting == warp_size; next += fitting) {
        const u32 candidate = minimum(next + 1 + lane(), end);
        fitting = count_of_warp(next + lane() < end && begins[candidate] - begins[bucket] <= tile);
      }
      next = maximum(next, bucket + 1);
      const u32 parts = parts_of(bucket, begins[next] - begins[bucket]);
      if (lane() == 0) {
        bucket_of[pack] = static_cast<u16>(bucket);
        leaf_of[pack] = static_cast<u16>(leaf);
      }
      for (u32 i = bucket + lane(); i < next; i += warp_size) leaf_of_bucket[i] = static_cast<u16>(parts > 1 ? no_bucket : leaf);
      leaf += parts;
      bucket = next;
    }
    if (lane() == 0) {
      packs_in[stretch] = pack - stretch * length;
      leaves_in[stretch] = leaf;
    }
  }
  sync_block();
  GroupPrefixSum<Group> leaves_before(scratch + GroupPrefixSum<Group>::words);
  for (u32 base = 0; base < stretches; base += nt) {
    const u32 stretch = base + thread_index();
    const u32 before = leaves_before(stretch < stretches ? leaves_in[stretch] : 0);
    if (stretch < stretches) leaves_in[stretch] = before;
  }
  if (thread_index() == 0) *leaves.count = leaves_before.carry;
  sync_block();

  for (u32 stretch = warp_index(); stretch < stretches; stretch += nt / warp_size) {
    for (u32 i = lane(); i < packs_in[stretch]; i += warp_size) {
      const u32 pack = stretch * length + i;
      const u32 bucket = bucket_of[pack];
      const u32 end = i + 1 < packs_in[stretch] ? bucket_of[pack + 1] : (stretch + 1) * length;
      const u32 size = begins[end] - begins[bucket];
      const u32 parts = parts_of(bucket, size);
      for (u32 part = 0; part < parts; ++part) {
        const u32 leaf = leaves_in[stretch] + leaf_of[pack] + part;
        leaves.begins[leaf] = leaves.cursors[leaf] = begins[bucket] + part * tile;
        leaves.sizes[leaf] = parts == 1 ? size : minimum(tile, size - part * tile);
        leaves.filling[leaf] = parts == 1 ? no_bucket : bucket / 2;
      }
    }
  }
  for (u32 bucket = thread_index(); bucket < buckets; bucket += nt) {
    const u32 leaf = leaf_of_bucket[bucket];
    leaves.leaf_of[bucket] = static_cast<u16>(leaf == no_bucket ? no_bucket : leaves_in[bucket / length] + leaf);
  }
}

}  // namespace bitune
