#pragma once

// Splitters: the first of the samplesort variant's kernels. Keys from random places are sorted, and every few of them one is taken, so
// that about as many keys of the array lie between two neighbours as between any others.

#include "kernels/cluster_tile.cuh"
#include "kernels/platform_votes.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// A place in [0, width) for sample i; which one, nobody can foresee.
BITUNE_DEVICE u64 random_place(u32 i, u64 width) {
  u32 x = unforeseen() + i * 0x85ebca6bu;  // then the finaliser of MurmurHash3 (A. Appleby, public domain)
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  x ^= x >> 16;
  return x * width >> 32;
}

/// Sorts ranks * nt * vt samples of `input`, one from each of as many equal parts, and stores every `oversampling`th of them but
/// the first, ascending, as encoded words: splitters. Sets the `counter_count` counters to 0. Grid: one cluster of `ranks` blocks.
/// Dynamic shared memory: RegisterTile::shared_words words a block. n is below 2^32.
template <class Codec, class Payload, int nt, int vt, int ranks, int oversampling>
BITUNE_KERNEL(nt, 1)
sample_splitters(typename Codec::Word* splitters, u32* counters, u32 counter_count, const typename Codec::Raw* input, u64 n) {
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<0>, nt, vt, 1, ranks>;
  constexpr u32 samples = u32{ranks} * nt * vt;
  const u32 thread = (ranks == 1 ? 0 : cluster_rank()) * nt + thread_index();
  begin_dependent_launch();
  for (u32 i = thread; i < counter_count; i += ranks * nt) counters[i] = 0;
  Word items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 sample = r * (ranks * nt) + thread;
    const u64 begin = sample * n / samples;
    const u64 end = (sample + 1) * n / samples;
    items[r] = Codec::encode(input[begin + random_place(sample, end - begin)]);  // of no keys, the one that follows
  }
  Tile::sort(shared_memory<Word>(), items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 rank = thread * vt + r;
    if (rank % oversampling == 0 && rank > 0) splitters[rank / oversampling - 1] = items[r];
  }
}

}  // namespace bitune
