#pragma once

// The naive form: one step of the network a launch, one thread an element. The thread with the smaller index of a pair
// compares and exchanges in global memory; the other has nothing to do.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// One step: the partner of i is i ^ partner_mask (2^j for a step, 2^k - 1 for a flip). blocks_per_row blocks do a row.
template <class Codec, class Payload, int nt>
BITUNE_KERNEL(nt, 1)
element_step(typename Codec::Raw* keys, u64 n, u64 partner_mask, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  const RowOfBlock place(blocks_per_row);
  keys += place.row * row_stride;
  const u64 i = u64{place.block} * nt + thread_index();
  const u64 partner = i ^ partner_mask;
  if (i < partner && partner < n) {
    Word low = Codec::encode(keys[i]);
    Word high = Codec::encode(keys[partner]);
    if (high < low) {
      keys[i] = Codec::decode(high);
      keys[partner] = Codec::decode(low);
    }
  }
}

}  // namespace bitune
