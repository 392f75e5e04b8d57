#pragma once

// Runs: what the multiway variant's first pass over the array sorts (multiway_sort.cuh).

#include "kernels/multiway/sorted_runs.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Loads what a block sorts of the run `run`: its keys from `begin` on, nt * vt of them, padding where there are fewer, in any order.
/// Shared memory: as many keys.
template <class Codec, class Payload, int nt, int vt, int vector>
BITUNE_DEVICE void load_run(const typename Codec::Raw* input, const Deal<typename Codec::Raw>& deal, u32 run, u32 begin,
                            Item<Codec, Payload> (&items)[vt]) {
  using Raw = typename Codec::Raw;
  const u32 size = deal.size(run);
  if (size % vector == 0 && StripedTile<Codec, Payload, nt, vt, vector>::aligned(input)) {
    // All loads before any encoding, to registers that hold what is encoded as padding: none of them waits for another.
    Raw raw[vt / vector][vector];
    BITUNE_UNROLL
    for (int q = 0; q < vt / vector; ++q) {
      const u32 i = begin + (thread_index() + q * nt) * vector;
      BITUNE_UNROLL
      for (int v = 0; v < vector; ++v) raw[q][v] = Codec::decode(Codec::padding);
      if (i < size) load_vector(input + deal.place(run, i), raw[q]);
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Codec::encode(raw[r / vector][r % vector]);
  } else {
    // If the array is aligned, this is one run at most. It is a loop, so that it takes little room among the instructions that most blocks
    // need.
    Raw* const raw = shared_memory<Raw>();
    BITUNE_UNROLL_N(4)
    for (u32 i = thread_index(); i < u32{nt} * vt; i += nt) {
      if (begin + i < size) copy_to_shared(raw + i, input + deal.place(run, begin + i));
    }
    cp_async_wait_all();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      items[r] = begin + i < size ? Codec::encode(raw[i]) : Codec::padding;
    }
    sync_block();  // the memory has other uses next
  }
}

}  // namespace bitune
