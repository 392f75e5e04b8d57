#pragma once

// The first keys of arrays as long as the registers of a cluster of blocks hold: as place_cluster_sort.cuh, and the first k are written.

#include "kernels/cluster/sending_cluster_tile.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/first_keys.cuh"
#include "kernels/network/launch.cuh"

namespace bitune {

/// Writes the first k of rows of `length` keys (at most ranks * nt * vt), of equal keys the first ones: keys_out, unless it is null;
/// indices_out, the place of each key in its row, of index_bytes each; values_out, of value_bytes each: the value that each key had at
/// values_in. Of what has no bytes the pointers are not looked at. Outputs are other memory than inputs. lengths: see counted_keys.
///
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory: RegisterTile::shared_words items a block, or sending_cluster_bytes
/// (cluster_layout.hpp) where blocks send each other their items, which have 8 bytes at most then.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int ranks, int shuffle_steps,
          int imad_quarters, bool sending>
BITUNE_KERNEL(nt, 1)
place_cluster_first_keys(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                         typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                         const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                         typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths,
                         u64 length_bytes, u32 length, u32 k) {
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Order = FirstKeysCodec<Codec, value_bytes + index_bytes != 0>;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Compare = PlacedComparator<imad_quarters>;
  using Block = RegisterTile<Item, Compare, nt, vt, shuffle_steps>;
  const u64 row = block_index() / ranks;
  const u32 first = cluster_rank() * Block::nv + thread_index();  // register r is at first + r * nt, before and after
  const auto* const input = keys_in + row * keys_in_stride;
  Item* shared = shared_memory<Item>();
  if constexpr (sending) SendingClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks>(shared).expect_all();
  begin_launch();
  const u32 counted = counted_keys(lengths, length_bytes, row, length);
  Item items[vt];
  {
    typename Codec::Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = first + r * nt < counted ? input[first + r * nt] : Codec::decode(Order::last);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 place = first + r * nt;
      items[r] = Form::make(place < counted ? Order::encode(raw[r]) : Order::last, place);
    }
  }
  if constexpr (sending) {
    const SendingClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks> tile(shared);
    tile.sort(items);
    shared = tile.scratch;
  } else {
    ClusterTile<Item, Compare, nt, vt, shuffle_steps, ranks>::sort(shared, items);
  }
  if (cluster_rank() * Block::nv >= k) return;
  Block::template to_striped<1>(shared, items);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = first + r * nt;
    if (i >= k) continue;
    const u32 place = Form::place(items[r]);
    if (keys_out != nullptr) keys_out[row * keys_out_stride + i] = Order::decode(Form::key(items[r]), input, place, counted);
    if constexpr (index_bytes != 0) indices_out[row * indices_out_stride + i] = place < counted ? Index{place} : no_index<Index>();
    if constexpr (value_bytes != 0) {
      values_out[row * values_out_stride + i] = place < counted ? values_in[row * values_in_stride + place] : Value{};
    }
  }
}

}  // namespace bitune
