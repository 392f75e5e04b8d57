#pragma once

// The other launches of merge_by_place: each merges neighbouring runs to runs twice as long. The last one writes keys, indices and values.

#include "kernels/merge/merge_tile.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/placed_word.cuh"

namespace bitune {

/// Merges the runs of `run` items of each row from items_in to items_out. Rows of `length` items, one behind the other, in both. Grid:
/// tiles_per_row blocks for each row. Dynamic shared memory: layout::merge_tile_bytes.
template <class Codec, class Payload, PlacedForm form, int nt, int vt>
BITUNE_KERNEL(nt, 1)
merge_runs(typename Placed<typename Codec::Word, form>::Item* items_out, const typename Placed<typename Codec::Word, form>::Item* items_in,
           u32 length, u32 run, u32 tiles_per_row) {
  using Item = typename Placed<typename Codec::Word, form>::Item;
  using Tile = MergeTile<Item, nt, vt>;
  begin_launch();
  const RowOfBlock at(tiles_per_row);
  const u32 begin = at.block * Tile::nv;
  Item items[vt];
  Tile::merge(items_in + at.row * length, length, run, begin, shared_memory<Item>(), items);
  Item* const to = items_out + at.row * length + begin;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    if (i < length - begin) to[i] = items[r];
  }
}

/// As merge_runs, of two runs at most, to what is asked for: keys_out if writes_keys, indices_out of index_bytes each, and values_out of
/// value_bytes each. kept_values and kept_nans: what place_runs kept.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt>
BITUNE_KERNEL(nt, 1)
merge_last_runs(const typename Placed<typename Codec::Word, form>::Item* items_in, typename Codec::Raw* keys_out, u64 keys_out_stride,
                typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride,
                const typename CarriedValue<value_bytes>::Type* kept_values, const typename Codec::Raw* kept_nans, u32 length, u32 run,
                u32 tiles_per_row) {
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = MergeTile<Item, nt, vt>;
  begin_launch();
  const RowOfBlock at(tiles_per_row);
  const u32 begin = at.block * Tile::nv;
  const u64 packed = at.row * length;
  Item items[vt];
  Tile::merge(items_in + packed, length, run, begin, shared_memory<Item>(), items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = begin + thread_index() + r * nt;
    if (i >= length) continue;
    const u32 place = Form::place(items[r]);
    if constexpr (writes_keys) {
      const auto word = Form::key(items[r]);
      auto key = Codec::decode(word);
      if (NanWord<Codec>::is(word)) key = kept_nans[packed + place];
      keys_out[at.row * keys_out_stride + i] = key;
    }
    if constexpr (index_bytes != 0) indices_out[at.row * indices_out_stride + i] = place;
    if constexpr (value_bytes != 0) values_out[at.row * values_out_stride + i] = kept_values[packed + place];
  }
}

}  // namespace bitune
