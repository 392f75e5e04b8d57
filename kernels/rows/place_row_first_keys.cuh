#pragma once

// The first keys of rows. As in place_row_sort.cuh a group of threads sorts a row in registers, each key with its place: and writes but
// the first k.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/first_keys.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/placed_word.cuh"
#include "kernels/rows/place_row.cuh"
#include "kernels/rows/row_layout.hpp"

namespace bitune {

/// Writes the first k of each of `rows` rows of `length` keys (at most nt * vt), of equal keys the first ones: keys_out, unless it is null;
/// indices_out, the place of each key in its row, of index_bytes each; values_out, of value_bytes each: the value that each key had at
/// values_in. Of what has no bytes the pointers are not looked at. Outputs are other memory than inputs. lengths: see counted_keys.
///
/// Grid: a block for every rows_per_block rows. Dynamic shared memory: rows_per_block times layout::place_row without values. full: length
/// is nt * vt.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int rows_per_block,
          int shuffle_steps, int vector, int swaps, int imad_quarters, int min_blocks, bool full>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
place_row_first_keys(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                     typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                     const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                     typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes,
                     u64 rows, u32 length, u32 k) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Order = FirstKeysCodec<Codec, value_bytes + index_bytes != 0>;
  using Form = Placed<Word, form>;
  using Item = typename Form::Item;
  using Tile = RegisterTile<Item, PlacedComparator<imad_quarters>, nt, vt, shuffle_steps, rows_per_block == 1>;
  using Keys = RowTile<Codec, Payload, nt, vt, vector, swaps>;
  using Places = RowTile<PlacePlane, NoPayload, nt, vt, vector, swaps>;
  constexpr bool has_tile = log2_of(nt) > shuffle_steps;
  constexpr layout::PlaceRow parts = layout::place_row(Tile::nv, sizeof(Item), 0, has_tile, false);
  const RowsOf<const Raw> input{keys_in, keys_in_stride};
  const u32 group = rows_per_block == 1 ? 0 : thread_index() / nt;
  u8* const shared = shared_memory<u8>() + group * static_cast<u32>(parts.bytes);

  begin_launch();
  const u64 row = u64{block_index()} * rows_per_block + group;
  // Groups without a row go through all barriers and shuffles, and sort the last one. They write nothing.
  const u64 source = minimum(row, rows - 1);
  const Raw* const from = input.row(source);
  const u32 counted = counted_keys(lengths, length_bytes, source, length);
  Item items[vt];
  {
    Raw raw[vt];
    const bool vectors = input.in_vectors(vector, length);
    Keys::template read<full>(from, length, vectors, raw);
    const u32 first = Keys::thread() * (vectors ? vector : 1);
    const u32 inner = vectors ? 1 : nt;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 place = first + (r / vector * vector) * nt + (r % vector) * inner;
      items[r] = Form::make(place < counted ? Order::encode(raw[r]) : Order::last, place);
    }
  }
  Tile::sort(reinterpret_cast<Item*>(shared), items);

  u32 places[vt];
  Word words[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    places[r] = Form::place(items[r]);
    words[r] = Form::key(items[r]);
  }
  Places::swap_bits(places);
  Keys::swap_bits(words);
  if (row >= rows) return;
  const auto is_wanted = [&](int r) { return Keys::first_place() + Keys::register_place(r) < k; };
  if (keys_out != nullptr) {
    const RowsOf<Raw> to{keys_out, keys_out_stride};
    Raw keys[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) keys[r] = is_wanted(r) ? Order::decode(words[r], from, places[r], counted) : Raw{0};
    store_in_row<Keys, false, vector, vt>(to.row(row), k, to.in_vectors(vector, k), [&](int r) { return keys[r]; });
  }
  if constexpr (index_bytes != 0) {
    constexpr int width = smaller_of(vector, 16 / index_bytes);
    const RowsOf<Index> to{indices_out, indices_out_stride};
    store_in_row<Keys, false, width, vt>(to.row(row), k, to.in_vectors(width, k),
                                         [&](int r) { return places[r] < counted ? Index{places[r]} : no_index<Index>(); });
  }
  if constexpr (value_bytes != 0) {
    constexpr int width = smaller_of(vector, 16 / value_bytes);
    const RowsOf<Value> to{values_out, values_out_stride};
    Value values[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      values[r] = is_wanted(r) && places[r] < counted ? values_in[source * values_in_stride + places[r]] : Value{};
    }
    store_in_row<Keys, false, width, vt>(to.row(row), k, to.in_vectors(width, k), [&](int r) { return values[r]; });
  }
}

}  // namespace bitune
