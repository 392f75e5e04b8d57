#pragma once

// The first few keys of short rows. A few lanes have a row in registers, and find its first keys by lists of a few words (lane_row.cuh).

#include "kernels/network/launch.cuh"
#include "kernels/topk/lane_row.cuh"
#include "kernels/topk/result_row.cuh"

namespace bitune {

/// Writes the first k keys of each of `rows` rows of n keys (at most nt * vt), in order, of equal keys those with the lowest places first:
/// keys_out (null: not, where there are indices), values_out and indices_out. lengths: how many keys of each row count (counted_keys).
///
/// k is less than `list`. Grid: a block for every rows_per_block rows. No shared memory.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int rows_per_block, int vector,
          int list, int min_blocks>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
lane_lists(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
           typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
           const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
           typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u64 rows, u32 n,
           u32 k) {
  static_assert(nt <= static_cast<int>(warp_size) && nt * rows_per_block % static_cast<int>(warp_size) == 0);

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 row = u64{block_index()} * rows_per_block + thread_index() / nt;
  // Lanes without a row go through all shuffles with the last one. They write nothing.
  const u64 source = minimum(row, rows - 1);
  const ResultRow<Codec, form, value_bytes, index_bytes> result(source, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out,
                                                                values_out_stride, values_in, values_in_stride, indices_out,
                                                                indices_out_stride);
  LaneRow<Codec, value_bytes + index_bytes != 0, nt, vt, vector, list> first(result.keys,
                                                                             counted_keys(lengths, length_bytes, source, n), k);
  first.find();
  if (row >= rows) return;
  const u32 own = lane() & (nt - 1);
  BITUNE_UNROLL
  for (u32 begin = 0; begin < list - 1; begin += nt) {
    u32 place = first.place(begin);
    BITUNE_UNROLL
    for (u32 i = 1; i < nt && begin + i < list - 1; ++i) place = own == i ? first.place(begin + i) : place;
    const u32 i = begin + own;
    if (i < first.wanted) {
      if (index_bytes == 0 || result.keys_out != nullptr) result.keys_out[i] = result.keys[place];
      if constexpr (value_bytes != 0) result.values_out[i] = result.values[place];
      if constexpr (index_bytes != 0) result.indices_out[i] = place;
    } else if (i < k) {
      result.fill(i);
    }
  }
}

}  // namespace bitune
