#pragma once

// The first k keys of many rows that the registers of a block or a cluster hold, by blocks that stay.
//
// Each row is chosen from as in cluster_choice.cuh: a bound from the minima of groups of keys, and what is not behind it is put in order. But a
// cluster takes one row after the other, and the next one is on its way to shared memory meanwhile. So memory is read while the blocks compare,
// wait for each other and write, and no row waits for a sample.
//
// A thread copies what it takes to registers afterwards, and nothing else: for these copies there is no barrier. A row has two barriers of
// the cluster. The blocks take turns to put candidates in order, so that a block may do that while others begin with the next row.

#include "kernels/network/carried_value.cuh"
#include "kernels/topk/cluster_choice.cuh"

namespace bitune {

/// A thread's keys of the next row, on their way to shared memory, where no other thread reads them.
template <class Keys, int nt, int vt, int vector>
struct CopiedKeys {
  using Raw = typename Keys::Raw;
  static_assert(vt % vector == 0);

  /// The thread's keys in registers r to r + vector, of nt * vt keys.
  BITUNE_DEVICE static Raw* copied(int r) { return shared_memory<Raw>() + r * nt + thread_index() * vector; }

  BITUNE_DEVICE static bool are_vectors(const Raw* row) { return reinterpret_cast<u64>(row) % 16 == 0; }

  /// Begins to copy a row. What it lacks is `last`.
  BITUNE_DEVICE static void begin(const Raw* row, u32 length, Raw last) {
    const bool vectors = are_vectors(row);
    Keys keys;
    keys.stand_as(vectors);
    if (vectors && length >= Keys::all * vt) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) cp_async_16(copied(r), row + keys.first + r * Keys::all);
      return;
    }
    BITUNE_UNROLL_N(1)
    for (int r = 0; r < vt; r += vector) {
      const u32 place = keys.place(r);
      if (vectors && place + vector <= length) {
        cp_async_16(copied(r), row + place);
        continue;
      }
      BITUNE_UNROLL_N(1)
      for (int i = 0; i < vector; ++i) {
        const u32 at = place + i * keys.inner;
        if (at < length) {
          copy_to_shared(copied(r) + i, row + at);
        } else {
          copied(r)[i] = last;
        }
      }
    }
  }

  /// Waits for what was copied of a row, and takes it. The row's keys are vectors or not.
  BITUNE_DEVICE static void take(Keys& keys, bool vectors) {
    keys.stand_as(vectors);
    cp_async_wait_all();
    BITUNE_UNROLL
    for (int r = 0; r < vt; r += vector) {
      Raw raw[vector];
      load_vector(copied(r), raw);
      BITUNE_UNROLL
      for (int i = 0; i < vector; ++i) keys.set(r + i, raw[i]);
    }
  }
};

/// Writes the first k keys of each of `rows` rows of n keys (at most ranks * nt * vt), as select_cluster does; k is at most `groups`.
///
/// groups: of a row's keys, `ranks` to ranks * nt. capacity: candidates that there is room for, at least k.
/// Grid: as many clusters of `ranks` blocks (1: blocks) as run at once. Dynamic shared memory: the keys of a block's threads,
/// and layout::cluster_choice behind them.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int ranks, int groups, int capacity,
          int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
persistent_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 rows,
                u32 n, u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Raw = typename Codec::Raw;
  using Choice = ClusterChoice<Codec, Row, nt, ranks, groups, capacity, shuffle_steps, nt * vt * static_cast<int>(sizeof(Raw)), true>;
  using Ranks = ClusterRanks<ranks>;
  constexpr int vector = 16 / static_cast<int>(sizeof(Raw));
  using Keys = ClusterKeys<Codec, typename Row::Order, form, nt, vt, vector, ranks>;
  using Copied = CopiedKeys<Keys, nt, vt, vector>;
  if (thread_index() == 0) *Choice::count() = 0;
  if constexpr (ranks > 1) arrive_at_cluster();

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u32 clusters = block_count() / ranks;
  const Raw last = Codec::decode(Codec::mask);
  const auto keys_of = [&](u32 row) { return keys_in + u64{row} * keys_in_stride; };
  const auto length_of = [&](u32 row) { return counted_keys(lengths, length_bytes, row, n); };
  u32 row = block_index() / ranks;
  Copied::begin(keys_of(row), length_of(row), last);
  if constexpr (ranks > 1) wait_for_cluster();
  sync_block();  // thread 0 has set the count
  for (; row < rows; row += clusters) {
    Keys keys;
    Copied::take(keys, Copied::are_vectors(keys_of(row)));
    if (row + clusters < rows) Copied::begin(keys_of(row + clusters), length_of(row + clusters), last);
    // While minima are sorted registers hold nothing but keys and the row's number: what else there is of the row is found anew.
    const auto leader = [&] { return opaque(row) / clusters % ranks; };
    Choice::find_minima(keys.least());
    Choice::tell_minima();
    // All have read what the leader before had counted. A barrier is between this and the next time that it counts.
    if (thread_index() == 0 && Ranks::own() == (leader() - 1) % ranks) *Choice::count() = 0;
    Choice::find_bound(minimum(k, length_of(row)), length_of(row));
    const u32 all = Choice::gather(keys, leader(), [&] { keys.stand_as(Copied::are_vectors(keys_of(opaque(row)))); });
    const auto row_of = [&] {
      return Row(opaque(row), keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                 indices_out, indices_out_stride);
    };
    if (Ranks::own() == leader()) Choice::write_first(row_of, k, all);
  }
  if constexpr (ranks > 1) sync_cluster();  // others may read this block's until then
}

}  // namespace bitune
