#pragma once

// A few candidates are put in order by counting, for each of them, how many are before it. No two are equal. That takes no barrier, and no
// step waits for another one, as those of a network do.

#include "kernels/topk/candidates.cuh"

namespace bitune {

/// Writes the first k of `count` candidates, which are in any order, as Candidates::write_first does of sorted ones. `wanted`: how many of
/// the k the row has. All threads of the block call it, behind a barrier. shares: lanes that count for a candidate. skips: warps that have no
/// candidate do nothing.
template <class Buffer, class Row, int nt, u32 shares = 4, bool skips = false>
BITUNE_DEVICE void write_ranked(const Buffer& candidates, const Row& row, u32 k, u32 count, u32 wanted) {
  const u32 share = thread_index() % shares;
  for (u32 base = 0; base < count; base += nt / shares) {
    if (skips && base + warp_index() * (warp_size / shares) >= count) break;
    const u32 mine = minimum(base + thread_index() / shares, count - 1);
    const typename Row::Item item = candidates[mine];
    u32 before = 0;
    for (u32 i = share; i < count; i += shares) before += candidates[i] < item ? 1 : 0;
    BITUNE_UNROLL
    for (u32 distance = 1; distance < shares; distance *= 2) before += shuffle_xor(before, distance);
    if (share == 0 && before < wanted) row.write(before, item);
  }
  for (u32 i = wanted + thread_index(); i < k; i += nt) row.fill(i);
}

}  // namespace bitune
