#pragma once

// The naive form with a thread for every two keys: threads run over the first half of the places only. One that is the
// lower of its pair does that pair; one that is the upper has its own pair done by its partner, and does the mirror image
// of it in the second half, where the roles of lower and upper are the other way round.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// One step over `length` places, the power of two from n on: the partner of i is i ^ partner_mask. Grid: blocks_per_row
/// blocks a row, together at least length / 2 threads.
template <class Codec, class Payload, int nt>
BITUNE_KERNEL(nt, 1)
mirror_step(typename Codec::Raw* keys, u64 n, u64 length, u64 partner_mask, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  const RowOfBlock place(blocks_per_row);
  keys += place.row * row_stride;
  const u64 thread = u64{place.block} * nt + thread_index();
  if (thread >= length / 2) return;
  const bool lower = thread < (thread ^ partner_mask);
  const u64 i = lower ? thread : length - 1 - thread;
  const u64 partner = i ^ partner_mask;
  if (partner < n) {
    const Word low = Codec::encode(keys[i]);
    const Word high = Codec::encode(keys[partner]);
    if (high < low) {
      keys[i] = Codec::decode(high);
      keys[partner] = Codec::decode(low);
    }
  }
}

}  // namespace bitune
