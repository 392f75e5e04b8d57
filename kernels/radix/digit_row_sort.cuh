#pragma once

// Long rows with values or indices, by digits: a block sorts a row (digit_row.cuh).

#include "kernels/network/launch.cuh"
#include "kernels/radix/digit_row.cuh"

namespace bitune {

/// Where a row lies that is one of many.
template <class Raw, class Value, class Index>
struct RowOfMany {
  static constexpr int stored_at_once = 32;
  Raw* all_keys_out;
  u64 keys_out_stride;
  const Raw* all_keys_in;
  u64 keys_in_stride;
  Value* all_values_out;
  u64 values_out_stride;
  const Value* all_values_in;
  u64 values_in_stride;
  Index* all_indices_out;
  u64 indices_out_stride;
  u64 row;

  BITUNE_DEVICE Raw* keys_out() const { return all_keys_out + row * keys_out_stride; }
  BITUNE_DEVICE const Raw* keys_in() const { return all_keys_in + row * keys_in_stride; }
  BITUNE_DEVICE Value* values_out() const { return all_values_out + row * values_out_stride; }
  BITUNE_DEVICE const Value* values_in() const { return all_values_in + row * values_in_stride; }
  BITUNE_DEVICE Index* indices_out() const { return all_indices_out + row * indices_out_stride; }
};

/// Sorts each row of `length` keys (at most nt * vt) stably. What is written, and where to, is as in place_row_sort. Grid: a block for each
/// row. Dynamic shared memory: layout::digit_row_parts.
template <class Codec, class Payload, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int bits,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
digit_row_sort(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
               typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
               const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
               typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, u32 length) {
  begin_launch();
  const RowOfMany<typename Codec::Raw, typename CarriedValue<value_bytes>::Type, typename CarriedValue<index_bytes>::Type> row{
      keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride, indices_out, indices_out_stride, block_index()};
  sort_row_by_digits<Codec, value_bytes, index_bytes, writes_keys, nt, vt, bits>(shared_memory<u8>(), row, length);
}

}  // namespace bitune
