#pragma once

// The first keys of long rows: runs are sorted in registers and merged in pairs, as by place_runs.cuh and merge_runs.cuh. But no run keeps
// more items than may be wanted. So each pass has half as many items as the one before, once runs are as long as that.

#include "kernels/merge/merge_tile.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/first_keys.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/register_tile.cuh"

namespace bitune {

/// Sorts the runs of nt * vt keys of each row, and keeps the first `kept` items of each. The items that a row's runs keep lie one behind
/// the other, and those of each row runs_per_row * kept behind those of the one before. lengths: see counted_keys.
///
/// Grid: runs_per_row blocks for each row. Dynamic shared memory: RegisterTile::shared_words items.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int shuffle_steps, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
first_keys_of_runs(typename Placed<typename Codec::Word, form>::Item* items_out, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                   const u8* lengths, u64 length_bytes, u32 length, u32 runs_per_row, u32 kept) {
  using Order = FirstKeysCodec<Codec, carries>;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = RegisterTile<Item, PlacedComparator<imad_quarters>, nt, vt, shuffle_steps>;
  begin_launch();
  const RowOfBlock at(runs_per_row);
  const u32 begin = at.block * Tile::nv;
  const u32 counted = counted_keys(lengths, length_bytes, at.row, length);
  const u32 count = begin < counted ? minimum(counted - begin, Tile::nv) : 0;
  const auto* const keys = keys_in + at.row * keys_in_stride + begin;
  Item items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    items[r] = Form::make(i < count ? Order::encode(keys[i]) : Order::last, begin + i);
  }
  if (count != 0) {  // else they are in order
    Item* const shared = shared_memory<Item>();
    Tile::sort(shared, items);
    Tile::template to_striped<1>(shared, items);
  }
  Item* const to = items_out + (at.row * runs_per_row + at.block) * kept;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    if (i < minimum(length - begin, kept)) to[i] = items[r];
  }
}

/// Merges the runs of `run` items of each row in pairs, and keeps the first `kept` items of each. A row has `items` items, in memory
/// row_in items behind those of the row before, and row_out of the result. run and kept are multiples of nt * vt.
///
/// Grid: tiles_per_row blocks for each row, kept / (nt * vt) of them for each pair. Dynamic shared memory: layout::merge_tile_bytes.
template <class Codec, class Payload, PlacedForm form, int nt, int vt>
BITUNE_KERNEL(nt, 1)
merge_first_keys(typename Placed<typename Codec::Word, form>::Item* items_out, u64 row_out,
                 const typename Placed<typename Codec::Word, form>::Item* items_in, u64 row_in, u32 items_of_row, u32 run, u32 kept,
                 u32 tiles_per_row) {
  using Item = typename Placed<typename Codec::Word, form>::Item;
  using Tile = MergeTile<Item, nt, vt>;
  begin_launch();
  const RowOfBlock at(tiles_per_row);
  const u32 tiles_of_pair = kept / Tile::nv;
  const u32 pair = at.block / tiles_of_pair;
  const u32 within = at.block % tiles_of_pair * Tile::nv;
  const u64 begin = u64{pair} * run * 2 + within;
  if (begin >= items_of_row) return;
  Item items[vt];
  Tile::merge(items_in + at.row * row_in, items_of_row, run, static_cast<u32>(begin), shared_memory<Item>(), items);
  Item* const to = items_out + at.row * row_out + u64{pair} * kept + within;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    if (i < items_of_row - begin) to[i] = items[r];
  }
}

/// As merge_first_keys, of two runs at most, to what is asked for: see place_row_first_keys. Grid: tiles_per_row blocks for each row,
/// which have k items or more.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt>
BITUNE_KERNEL(nt, 1)
write_first_keys(const typename Placed<typename Codec::Word, form>::Item* items_in, u64 row_in, u32 items_of_row, u32 run,
                 typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                 typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                 const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                 typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes,
                 u32 length, u32 k, u32 tiles_per_row) {
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Order = FirstKeysCodec<Codec, value_bytes + index_bytes != 0>;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = MergeTile<Item, nt, vt>;
  begin_launch();
  const RowOfBlock at(tiles_per_row);
  const u32 begin = at.block * Tile::nv;
  const u32 counted = counted_keys(lengths, length_bytes, at.row, length);
  Item items[vt];
  Tile::merge(items_in + at.row * row_in, items_of_row, run, begin, shared_memory<Item>(), items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = begin + thread_index() + r * nt;
    if (i >= k) continue;
    const u32 place = Form::place(items[r]);
    if (keys_out != nullptr) {
      keys_out[at.row * keys_out_stride + i] = Order::decode(Form::key(items[r]), keys_in + at.row * keys_in_stride, place, counted);
    }
    if constexpr (index_bytes != 0) {
      indices_out[at.row * indices_out_stride + i] = place < counted ? Index{place} : no_index<Index>();
    }
    if constexpr (value_bytes != 0) {
      values_out[at.row * values_out_stride + i] = place < counted ? values_in[at.row * values_in_stride + place] : Value{};
    }
  }
}

}  // namespace bitune
