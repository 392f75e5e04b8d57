#pragma once

// The first launch of merge_by_place: runs of keys with their places, each sorted in the registers of a block.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/placed_word.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// Sorts the runs of nt * vt keys of each row, the last one of which may be shorter. `length` items of a row are written to `items` for
/// each row, one row behind the other. What the last launch reads again by place, when it may be overwritten already, is kept: values in
/// kept_values; and in kept_nans, where keys are floating-point and are written, the bits of each NaN.
///
/// Grid: runs_per_row blocks for each row. Dynamic shared memory: RegisterTile::shared_words items.
template <class Codec, class Payload, PlacedForm form, int value_bytes, bool writes_keys, int nt, int vt, int shuffle_steps,
          int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
place_runs(typename Placed<typename Codec::Word, form>::Item* items_out, const typename Codec::Raw* keys_in, u64 keys_in_stride,
           typename CarriedValue<value_bytes>::Type* kept_values, const typename CarriedValue<value_bytes>::Type* values_in,
           u64 values_in_stride, typename Codec::Raw* kept_nans, u32 length, u32 runs_per_row) {
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = RegisterTile<Item, PlacedComparator<imad_quarters>, nt, vt, shuffle_steps>;
  begin_launch();
  const RowOfBlock at(runs_per_row);
  const u32 begin = at.block * Tile::nv;
  const u32 count = minimum(length - begin, Tile::nv);
  const auto* const keys = keys_in + at.row * keys_in_stride + begin;
  const u64 packed = at.row * length + begin;
  if constexpr (value_bytes != 0) {
    for (u32 i = thread_index(); i < count; i += nt) kept_values[packed + i] = values_in[at.row * values_in_stride + begin + i];
  }
  Item items[vt];
  bool any_nan = false;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    const auto word = (i < count ? TieCodec<Codec>::encode(keys[i]) : Codec::padding) & Codec::mask;
    any_nan |= NanWord<Codec>::is(word);
    items[r] = Form::make(word, begin + i);
  }
  if constexpr (writes_keys && NanWord<Codec>::exists) {
    if (any_nan) {  // rare: what was read is read again
      for (u32 i = thread_index(); i < count; i += nt) {
        if (NanWord<Codec>::is(TieCodec<Codec>::encode(keys[i]) & Codec::mask)) kept_nans[packed + i] = keys[i];
      }
    }
  }
  Item* const shared = shared_memory<Item>();
  Tile::sort(shared, items);
  Tile::template to_striped<1>(shared, items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    if (i < count) items_out[packed + i] = items[r];
  }
}

}  // namespace bitune
