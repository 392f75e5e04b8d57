#pragma once

// Counting: the kernel of the counting variant that reads the keys.

#include "kernels/counting/counting.cuh"
#include "kernels/network/block_sum.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Counters of all values are in memory. Lanes with equal keys add as one; else a frequent value's counter would take one after the other.
/// Shared memory: a counter for each bin.
template <class Codec, int nt>
struct CountInMemory {
  using Counts = ValueCounts<Codec::bits>;
  static constexpr u32 shared_words = layout::count_values_words(Codec::bits, 0);

  Counts counts;
  u32* bins;  // in shared memory

  BITUNE_DEVICE CountInMemory(u32* all, u32* shared, u32) : counts{all}, bins(shared) {}

  /// Before anything is added, after the first keys are asked for.
  BITUNE_DEVICE void begin() const { wait_for_previous_launch(); }

  /// All lanes of a warp; `word` is Counts::values where there is no key.
  BITUNE_DEVICE void add(u32 word) const {
    const u32 alike = lanes_alike(word);
    if (word == Counts::values || (alike & ((u32{1} << lane()) - 1)) != 0) return;
    const u32 count = bit_count(alike);
    atomic_add(counts.value(word), count);
    atomic_add(bins + word / Counts::values_of_bin, count);
  }

  BITUNE_DEVICE void end() const {
    sync_block();
    allow_next_launch();
    for (u32 i = thread_index(); i < Counts::bins; i += nt) {
      if (bins[i] != 0) atomic_add(counts.bin(i), bins[i]);
    }
  }
};

/// Counters of a part of the values are in shared memory. Other blocks read the same keys and count the other parts. In the end the
/// counters are added to those in memory. Additions there are slow. So two counters are added at once, and before that the blocks of a
/// cluster of `ranks`, which count the same part, add up theirs.
template <class Codec, int nt, int parts, int ranks>
struct CountInShared {
  using Counts = ValueCounts<Codec::bits>;
  static constexpr u32 values = Counts::values / parts;
  static constexpr u32 shared_words = layout::count_values_words(Codec::bits, parts);
  static constexpr u32 share = values / ranks;  // that a block adds up
  static_assert(values % Counts::values_of_bin == 0 && share % (2 * warp_size) == 0);

  Counts counts;
  u32* mine;
  u32 first;

  BITUNE_DEVICE CountInShared(u32* all, u32* shared, u32 part) : counts{all}, mine(shared), first(part * values) {}

  BITUNE_DEVICE void begin() const {}

  BITUNE_DEVICE void add(u32 word) const {
    if (word - first < values) atomic_add(mine + (word - first), 1);
  }

  BITUNE_DEVICE static void sync() {
    if constexpr (ranks > 1) {
      sync_cluster();
    } else {
      sync_block();
    }
  }

  BITUNE_DEVICE u64 two_of_rank(u32 rank, u32 value) const {
    return *reinterpret_cast<const u64*>((ranks > 1 ? shared_of_rank(mine, rank) : mine) + value);
  }

  BITUNE_DEVICE void end() const {
    sync();
    wait_for_previous_launch();
    allow_next_launch();
    const u32 begin = (ranks > 1 ? cluster_rank() : 0) * share;
    for (u32 base = 0; base < share; base += 2 * nt) {
      const u32 i = base + 2 * thread_index();
      const u32 value = begin + i;
      u64 two = 0;  // no sum of counters exceeds 32 bits
      if (i < share) {
        BITUNE_UNROLL
        for (u32 rank = 0; rank < ranks; ++rank) two += two_of_rank(rank, value);
      }
      if (two != 0) atomic_add(reinterpret_cast<u64*>(counts.value(first + value)), two);
      u32 sum[1] = {static_cast<u32>(two) + static_cast<u32>(two >> 32)};
      warp_sum_each(sum);
      if (lane() == 0 && sum[0] != 0) atomic_add(counts.bin((first + value) / Counts::values_of_bin), sum[0]);
    }
    if constexpr (ranks > 1) sync_cluster();  // others may read this block's until then
  }
};

template <class Codec, int nt, int parts, int ranks>
struct CountersOf {
  using Type = CountInShared<Codec, nt, parts, ranks>;
};
template <class Codec, int nt>
struct CountersOf<Codec, nt, 0, 1> {
  using Type = CountInMemory<Codec, nt>;
};

/// Adds how often each value occurs among the n < 2^31 keys at `input` to the ValueCounts at `counts`. The values are divided in `parts`,
/// each of which is counted in shared memory by a cluster of `ranks` blocks; with 0 parts all are counted in memory. Grid: a multiple of
/// `parts` clusters. Each thread loads `loads` vectors at once. Dynamic shared memory: shared_words of CountersOf::Type.
template <class Codec, class Payload, int nt, int vector, int loads, int parts, int ranks>
BITUNE_KERNEL(nt, 1) count_values(u32* counts, const typename Codec::Raw* input, u64 n) {
  using Raw = typename Codec::Raw;
  using Counters = typename CountersOf<Codec, nt, parts, ranks>::Type;
  constexpr u32 divided = parts == 0 ? 1 : parts;
  const u32 cluster = block_index() / ranks;
  const u32 reader = cluster / divided * ranks + block_index() % ranks;  // of those that count the same part
  u32* const shared = shared_memory<u32>();
  const Counters counters(counts, shared, cluster % divided);
  for (u32 i = thread_index(); i < Counters::shared_words; i += nt) shared[i] = 0;
  sync_block();
  const u32 count = static_cast<u32>(n);
  const bool aligned = reinterpret_cast<u64>(input) % (vector * sizeof(Raw)) == 0;
  const u32 stride = block_count() / divided * nt * vector;
  // All threads of a block take as many turns: lanes count together.
  for (u32 turn = reader * nt * vector; turn < count; turn += stride * loads) {
    Raw raw[loads][vector];
    const u32 first = turn + thread_index() * vector;
    BITUNE_UNROLL
    for (int l = 0; l < loads; ++l) {
      const u32 at = first + l * stride;
      if (aligned && at + vector <= count) {
        load_vector<Raw, vector>(input + at, raw[l]);
      } else {
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) raw[l][v] = at + v < count ? input[at + v] : Raw{0};
      }
    }
    counters.begin();
    BITUNE_UNROLL
    for (int l = 0; l < loads; ++l) {
      BITUNE_UNROLL
      for (int v = 0; v < vector; ++v) {
        counters.add(first + l * stride + v < count ? u32{Codec::encode(raw[l][v])} : ValueCounts<Codec::bits>::values);
      }
    }
  }
  counters.end();
}

}  // namespace bitune
