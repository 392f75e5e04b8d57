#pragma once

// Arrays of keys with values or indices, as long as the registers of a cluster of blocks hold: as cluster_sort.cuh, each key with its
// place.

#include "kernels/cluster/place_cluster_layout.hpp"
#include "kernels/cluster/sent_item.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/placed_word.cuh"

namespace bitune {

/// Sorts rows of `length` keys (at most ranks * nt * vt) stably. Writes keys_out if writes_keys; indices_out, the place of each key in its
/// row, of index_bytes each; and values_out, of value_bytes each: the value that each key had at values_in. Each array has a stride of its
/// own from row to row. Of what has no bytes the pointers are not looked at. An output may be its own input.
///
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory of a block: layout::place_cluster_parts.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt, int ranks,
          int shuffle_steps, int imad_quarters, bool sending>
BITUNE_KERNEL(nt, 1)
place_cluster_sort(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                   typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                   const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                   typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, u32 length) {
  using Raw = typename Codec::Raw;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Compare = PlacedComparator<imad_quarters>;
  using Block = RegisterTile<Item, Compare, nt, vt, shuffle_steps>;
  using Value = typename CarriedValue<value_bytes>::Type;
  constexpr bool early_values = layout::copies_cluster_values(u64{Block::nv} * ranks, value_bytes, sending);
  constexpr layout::PlaceClusterParts parts = layout::place_cluster_parts(nt, vt, ranks, sizeof(Item), value_bytes, sending);
  const u64 row = block_index() / ranks;
  const u32 first = cluster_rank() * Block::nv + thread_index();  // register r is at first + r * nt, before and after
  const Raw* const input = keys_in + row * keys_in_stride;
  const Value* from = values_in + row * values_in_stride;
  Item* shared = shared_memory<Item>();
  if constexpr (sending) SendingClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks>(shared).expect_all();
  begin_launch();
  Item items[vt];
  {
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = first + r * nt < length ? input[first + r * nt] : Codec::decode(Codec::padding);
    if constexpr (early_values) {
      Value* const copy = reinterpret_cast<Value*>(shared_memory<u8>() + parts.values);
      copy_row_to_shared<nt>(from, length, copy);
      from = copy;
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Form::make(TieCodec<Codec>::encode(raw[r]), first + r * nt);
  }
  if constexpr (sending) {
    const SendingClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks> tile(shared);
    tile.sort(items);
    shared = tile.scratch;
  } else {
    ClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks>::sort(shared, items);
  }
  if constexpr (early_values) cp_async_wait_all();
  Block::template to_striped<1>(shared, items);

  // All that is read of the row by place, before any of it is written.
  Raw keys[vt];
  Value values[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (first + r * nt >= length) continue;
    const u32 place = Form::place(items[r]);
    if constexpr (value_bytes != 0) values[r] = from[place];
    if constexpr (writes_keys) {
      keys[r] = Codec::decode(Form::key(items[r]));
      if (NanWord<Codec>::is(Form::key(items[r]))) keys[r] = input[place];
    }
  }
  // Other blocks read what this one overwrites only where something is sorted in place.
  bool in_place = false;
  if constexpr (value_bytes != 0) in_place = values_in == values_out;
  if constexpr (writes_keys && NanWord<Codec>::exists) in_place |= keys_in == keys_out;
  if (in_place) sync_cluster();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = first + r * nt;
    if (i >= length) continue;
    if constexpr (writes_keys) keys_out[row * keys_out_stride + i] = keys[r];
    if constexpr (index_bytes != 0) indices_out[row * indices_out_stride + i] = Form::place(items[r]);
    if constexpr (value_bytes != 0) values_out[row * values_out_stride + i] = values[r];
  }
}

}  // namespace bitune
