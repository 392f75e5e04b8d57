#pragma once

// The sample: the first of the samplesort variant's kernels. Keys from random places are sorted; the splitters are taken from them.

#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/random_place.cuh"

namespace bitune {

/// Sorts ranks * nt * vt samples of `input`, one from each of as many equal parts, into `samples`, as encoded words. Sets the
/// `counter_count` counters to 0. Grid: one cluster of `ranks` blocks. Dynamic shared memory: RegisterTile::shared_words words a
/// block. n is below 2^32.
template <class Codec, class Payload, int nt, int vt, int ranks>
BITUNE_KERNEL(nt, 1)
sample_sort(typename Codec::Word* samples, u32* counters, u32 counter_count, const typename Codec::Raw* input, u64 n) {
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<0>, nt, vt, 1, ranks>;
  constexpr u32 sample_count = u32{ranks} * nt * vt;
  const u32 rank = ranks == 1 ? 0 : cluster_rank();
  Word* const shared = shared_memory<Word>();
  // The next launch reads the input before it waits: it may begin only now.
  wait_for_previous_launch();
  allow_next_launch();
  for (u32 i = rank * nt + thread_index(); i < counter_count; i += ranks * nt) counters[i] = 0;
  typename Codec::Raw raw[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 sample = (r * ranks + rank) * nt + thread_index();
    const u64 begin = sample * n / sample_count;
    const u64 end = (sample + 1) * n / sample_count;
    raw[r] = input[begin + random_place(sample, end - begin)];  // of a part without keys, the one that follows
  }
  Word items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) items[r] = Codec::encode(raw[r]);
  Tile::sort(shared, items);
  Tile::Block::template to_striped<1>(shared, items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) samples[(rank * vt + r) * nt + thread_index()] = items[r];
}

}  // namespace bitune
