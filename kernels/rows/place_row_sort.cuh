#pragma once

// Rows of keys with values or indices. As in row_sort.cuh a group of threads holds a row in registers: here each key with its place.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/moving_comparator.cuh"
#include "kernels/rows/place_row.cuh"
#include "kernels/rows/row_layout.hpp"

namespace bitune {

/// Where in its row a thread's registers are stored: as RowTile has it, or striped.
template <bool striped, class Keys, int nt>
struct StoredOrder : Keys {};
template <class Keys, int nt>
struct StoredOrder<true, Keys, nt> {
  BITUNE_DEVICE static u32 first_place() { return Keys::thread(); }
  BITUNE_DEVICE static constexpr u32 register_place(int r) { return static_cast<u32>(r) * nt; }
};

/// Sorts each of `rows` rows of `length` keys (at most nt * vt) stably. Writes keys_out if writes_keys; indices_out, the place of each
/// key in its row, of index_bytes each; and values_out, of value_bytes each: the value that each key had at values_in. Of what has no
/// bytes the pointers are not looked at. An output may be its own input: all of a row is read before any of it is written.
///
/// early_values: values are copied to shared memory while keys are sorted, for which they have room of their own. striped: items go through
/// shared memory before they are stored, so that neighbouring threads store neighbours; swaps is 0 then.
/// Grid: a block for every rows_per_block rows. Dynamic shared memory: rows_per_block times layout::place_row. full: length is nt * vt.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, int nt, int vt,
          int rows_per_block, int shuffle_steps, int vector, int swaps, int imad_quarters, bool early_values, int min_blocks, bool full>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
place_row_sort(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
               typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
               const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
               typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, u64 rows, u32 length) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Network = PlacedNetwork<Word, form, imad_quarters>;
  using Form = typename Network::Form;
  using Item = typename Form::Item;
  using Tile = RegisterTile<Item, typename Network::Compare, nt, vt, shuffle_steps, rows_per_block == 1>;
  constexpr bool striped = swaps == 5;
  using Keys = RowTile<Codec, Payload, nt, vt, vector, striped ? 0 : swaps>;
  using Places = RowTile<PlacePlane, NoPayload, nt, vt, vector, striped ? 0 : swaps>;
  using Stored = StoredOrder<striped, Keys, nt>;
  constexpr int stored_vector = striped ? 1 : vector;
  constexpr bool has_nans = writes_keys && NanWord<Codec>::exists;
  constexpr bool has_tile = striped || log2_of(nt) > shuffle_steps;
  // Places are in bytes of the values, where items move from the beginning, if they fit so.
  constexpr u32 scale = value_bytes == 0 ? 1 : sizeof(Value);
  constexpr u32 item_scale = !Network::moves || (form == PlacedForm::word32 && scale * Tile::nv > 0x10000) ? 1 : scale;
  constexpr layout::PlaceRow parts = layout::place_row(Tile::nv, sizeof(Item), value_bytes, has_tile, early_values);
  const RowsOf<const Raw> input{keys_in, keys_in_stride};
  const u32 group = rows_per_block == 1 ? 0 : thread_index() / nt;  // no thread's own number, where that is the same for the block
  u8* const shared = shared_memory<u8>() + group * static_cast<u32>(parts.bytes);
  Value* const slots = reinterpret_cast<Value*>(shared + parts.values);

  begin_launch();
  const u64 row = u64{block_index()} * rows_per_block + group;
  // Groups without a row go through all barriers and shuffles, and sort the last one. They write nothing.
  const u64 source = minimum(row, rows - 1);
  const auto copy_values = [&] {
    if constexpr (value_bytes != 0) copy_row_to_shared<nt>(values_in + source * values_in_stride, length, slots);
  };
  Item items[vt];
  {
    Raw raw[vt];
    const bool vectors = input.in_vectors(vector, length);
    Keys::template read<full>(input.row(source), length, vectors, raw);
    const u32 first = Keys::thread() * (vectors ? vector : 1);
    const u32 inner = vectors ? 1 : nt;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 place = first + (r / vector * vector) * nt + (r % vector) * inner;
      items[r] = Form::make(TieCodec<Codec>::encode(raw[r]), place * item_scale);
    }
  }
  if constexpr (early_values) copy_values();
  Tile::sort(reinterpret_cast<Item*>(shared), items);
  if constexpr (striped) Tile::template to_striped<1>(reinterpret_cast<Item*>(shared), items);

  u32 places[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) places[r] = Form::place(items[r]);
  Places::swap_bits(places);
  // Scaled once. Else the compiler keeps both the places and their addresses.
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) places[r] = kept(places[r] * (scale / item_scale));
  Word words[vt];
  if constexpr (writes_keys) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Form::key(items[r]);
    Keys::swap_bits(words);
    if constexpr (has_nans) {
      bool any = false;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) any |= NanWord<Codec>::is(words[r]);
      if (any) {
        // Volatile: one after the other. Loads under way at once would take registers for their addresses, of all threads.
        const volatile Raw* const from = input.row(source);
        BITUNE_UNROLL
        for (int r = 0; r < vt; ++r) {
          if (NanWord<Codec>::is(words[r]) && (full || places[r] / scale < length)) words[r] = Codec::encode(from[places[r] / scale]);
        }
      }
    }
  }
  // NaNs are read before keys are written, and items before values take their place.
  constexpr bool values_replace_items = value_bytes != 0 && has_tile && !early_values;
  if constexpr (has_nans || values_replace_items) Tile::template barrier<false>();
  if constexpr (writes_keys) {
    if (row < rows) {
      const RowsOf<Raw> to{keys_out, keys_out_stride};
      store_in_row<Stored, full, stored_vector, vt>(to.row(row), length, to.in_vectors(stored_vector, length),
                                                    [&](int r) { return Codec::decode(words[r]); });
    }
  }
  if constexpr (index_bytes != 0) {
    if (row < rows) {
      constexpr int width = smaller_of(stored_vector, 16 / index_bytes);
      const RowsOf<Index> to{indices_out, indices_out_stride};
      store_in_row<Stored, full, width, vt>(to.row(row), length, to.in_vectors(width, length), [&](int r) { return Index{places[r]}; });
    }
  }
  if constexpr (value_bytes != 0) {
    if constexpr (!early_values) copy_values();
    cp_async_wait_all();
    // Also behind the stores of the keys, whose registers are free now.
    Tile::template barrier<false>();
    if (row < rows) {
      constexpr int width = smaller_of(stored_vector, 16 / value_bytes);
      const RowsOf<Value> to{values_out, values_out_stride};
      Value values[vt];
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) values[r] = *reinterpret_cast<const Value*>(shared + (static_cast<u32>(parts.values) + places[r]));
      store_in_row<Stored, full, width, vt>(to.row(row), length, to.in_vectors(width, length), [&](int r) { return values[r]; });
    }
  }
}

}  // namespace bitune
