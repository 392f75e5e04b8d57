#pragma once

// The first k keys of one long array, by the whole grid, as row_filter.cuh has them of a row: the launches take the sample, filter the
// array, and finish. What lies between them is in memory: a bound, candidates in any order, and their number.

#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// The first launch: sorts ranks * nt * vt samples of the n keys, and writes the sample_rank-th to `bound` (all ones where there is none).
/// Sets `count` to 0. Grid: one cluster of `ranks` blocks. Dynamic shared memory: RegisterTile::shared_words items a block.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int ranks>
BITUNE_KERNEL(nt, 1)
sample_bound(typename Placed<typename Codec::Word, form>::Item* bound, u32* count, const typename Codec::Raw* keys, const u8* lengths,
             u64 length_bytes, u32 n, u32 k, u32 sample_rank) {
  using Order = FirstKeysCodec<Codec, carries>;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = ClusterTile<Item, PlacedComparator<0>, nt, vt, 1, ranks>;
  constexpr u32 samples = u32{ranks} * nt * vt;
  const u32 rank = ranks == 1 ? 0 : cluster_rank();
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 bound_rank = length == n ? sample_rank : sample_rank_of(samples, minimum(k, length), length);
  Item items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 place = sampled_place((r * ranks + rank) * nt + thread_index(), samples, length);
    items[r] = length == 0 ? last_item<Form>() : Form::make(Order::encode(keys[place]), place);
  }
  Tile::sort(shared_memory<Item>(), items);
  const u32 first = (rank * nt + thread_index()) * vt + 1;  // rank of register 0
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    if (first + r == bound_rank) *bound = items[r];
  }
  if (first == 1) {
    if (bound_rank > samples || length == 0) *bound = last_item<Form>();
    *count = 0;
  }
}

/// The second launch: all keys that are not behind the bound become `items`, as long as there is room; `count` of them there are.
/// Candidates go to shared memory first, `staged` of them a block, so that few blocks meet at `count`.
///
/// Grid: as many blocks as run at once. Dynamic shared memory: layout::staged_bytes.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int loads, int staged, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
filter_array(typename Placed<typename Codec::Word, form>::Item* items, u32 room, u32* count,
             const typename Placed<typename Codec::Word, form>::Item* bound, const typename Codec::Raw* keys, const u8* lengths,
             u64 length_bytes, u32 n) {
  using Row = ResultRow<Codec, form, 0, carries ? 4 : 0>;
  using Item = typename Row::Item;
  using Stream = KeyStream<Codec, Row, nt, loads>;
  Item* const stage = shared_memory<Item>();
  u32* const taken = reinterpret_cast<u32*>(stage + staged);  // of the stage; once there is no more room, what would be
  u32* const end = taken + 1;                                 // of what is in it, then
  u32* const place = taken + 2;
  if (thread_index() == 0) {
    *taken = 0;
    *end = staged;
  }
  sync_block();  // thread 0 has set the count
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const Row row(0, nullptr, 0, keys, 0, nullptr, 0, nullptr, 0, nullptr, 0);
  const Stream stream(row, length);
  const auto append = [&](u32 bits, const auto& place_of) {
    const u32 found = bit_count(bits);
    u32 to = atomic_add(taken, found);
    const bool is_staged = to + found <= staged;
    if (!is_staged) {
      if (to <= staged) *end = to;  // the first thread that finds no room
      to = atomic_add(count, found);
    }
    for (; bits != 0; bits &= bits - 1, ++to) {
      const u32 at = place_of(lowest_bit(bits));
      if (is_staged) {
        stream.fetch(stage[to], at);
      } else if (to < room) {
        items[to] = row.item(at);
      }
    }
  };
  stream.pass(*bound, block_index() * Stream::chunk, stream.count, u64{block_count()} * Stream::chunk, append);
  if (block_index() == 0 && warp_index() == 0) stream.pass_ends(*bound, append);
  cp_async_wait_all();
  sync_block();
  const u32 here = minimum(*taken, *end);
  if (thread_index() == 0) *place = atomic_add(count, here);
  sync_block();
  for (u32 i = thread_index(); i < here; i += nt) {
    if (*place + i < room) items[*place + i] = stream.fetched(stage[i]);
  }
}

/// The last launch, for a small k: writes the first k of the candidates, by the same means; or of the array, slowly, if the candidates are
/// too few, or had no room. The arguments are those of bin_rows and of filter_array. Grid: one cluster of `ranks` blocks.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int loads, int samples, int capacity,
          int ranks, int shuffle_steps>
BITUNE_KERNEL(nt, 1)
filter_candidates(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
                  const typename CarriedValue<value_bytes>::Type* values_in, typename CarriedValue<index_bytes>::Type* indices_out,
                  const u8* lengths, u64 length_bytes, u32 n, u32 k, const typename Placed<typename Codec::Word, form>::Item* items, u32 room,
                  const u32* count) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Filter = RowFilter<Row, nt, samples, capacity, ranks, shuffle_steps>;
  Filter filter;
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 wanted = minimum(k, length);
  const u32 found = *count;
  const Row row(0, keys_out, 0, keys_in, 0, values_out, 0, values_in, 0, indices_out, 0);
  const ItemStream<typename Row::Item, nt, loads> stream{items, found};
  filter.write_first(row, length, k, wanted, stream, found >= wanted && found <= room,
                     sample_rank_of(Filter::sample_count, wanted, maximum(found, 1u)));
}

}  // namespace bitune
