#pragma once

// The first k keys of rows that the registers of a cluster of blocks hold (sm_90 on), in one launch.
//
// As in select_rows.cuh the keys that are not behind a bound are the candidates, and the bound is the k-th smallest of the minima of groups of
// keys. Here each block tells all others the minima of its groups, so that each finds the bound by itself. What is not behind it goes to
// the first block, which puts it in order. Two barriers of the cluster are all that blocks wait for.
//
// Which group a key belongs to: neighbouring vectors of keys belong to different groups, and neighbouring warps' to different blocks. What
// recurs at a distance that is a multiple of all blocks' is in different ones, too.
// So where keys ascend, or change slowly, there are not many more candidates than of random keys. Where there are more than there is room for,
// the bound is narrowed as in select_rows.cuh.

#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/ranked_candidates.cuh"
#include "kernels/topk/select_rows.cuh"

namespace bitune {

/// A row's keys in the registers of a cluster. Its threads are numbered warp by warp, and the warps block by block.
template <class Codec, class Order, PlacedForm form, int nt, int vt, int vector, int ranks>
struct ClusterKeys : SelectedKeys<Codec, form, nt * ranks, vt, vector> {
  using Keys = SelectedKeys<Codec, form, nt * ranks, vt, vector>;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr u32 all = u32{ranks} * nt;

  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    const u32 thread = (warp_index() * ranks + (cluster_rank() + 3 * warp_index()) % ranks) * warp_size + lane();
    const bool vectors = reinterpret_cast<u64>(row) % (vector * sizeof(Raw)) == 0 && length % vector == 0;
    Keys::first = thread * (vectors ? vector : 1);
    Keys::inner = vectors ? 1 : all;
    Raw raw[vt];  // what the row lacks is the last key there is
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Codec::decode(Codec::mask);
    if (vectors) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        if (Keys::first + r * all < length) load_vector(row + Keys::first + r * all, *reinterpret_cast<Raw(*)[vector]>(raw + r));
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (Keys::first + r * all < length) raw[r] = row[Keys::first + r * all];
      }
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) Keys::words[r] = Order::encode(raw[r]);
  }

  /// The key in a register, and its place.
  template <class Form>
  BITUNE_DEVICE typename Form::Item item(u32 at) const {
    Word word = Keys::words[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) word = at == u32(r) ? Keys::words[r] : word;
    return Form::make(word, Keys::place(at));
  }

  /// The first of the thread's keys.
  BITUNE_DEVICE PlacedWord<Word> minimum_of_thread() const {
    Word word = Keys::words[0];
    u32 at = 0;
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      if (Keys::words[r] < word) {
        word = Keys::words[r];
        at = r;
      }
    }
    return {word, Keys::place(at)};
  }
};

/// Numbers of a cluster's blocks, added up.
template <int nt, int ranks>
struct ClusterSum {
  RowSums<nt> of_block;
  u32* received;  ///< two times `ranks`
  u32 turn = 0;

  BITUNE_DEVICE ClusterSum(u32* sums, u32* of_ranks) : of_block(sums), received(of_ranks) {}

  /// Two halves of the memory take turns: a block that is a sum ahead writes nothing that another one still reads.
  BITUNE_DEVICE u32 operator()(u32 value) {
    const u32 mine = of_block(value).all;
    u32* const half = received + turn * ranks;
    turn ^= 1;
    if (thread_index() < ranks) *shared_of_rank(half + cluster_rank(), thread_index()) = mine;
    sync_cluster();
    u32 all = 0;
    BITUNE_UNROLL
    for (int rank = 0; rank < ranks; ++rank) all += half[rank];
    return all;
  }
};

/// Writes the first k keys of each row of n keys (at most ranks * nt * vt), as select_rows does; k is at most `groups`.
///
/// groups: of a row's keys, `ranks` to ranks * nt. capacity: candidates that there is room for, at least k.
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory: layout::selected_cluster.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int vector, int ranks, int groups,
          int capacity, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
select_cluster(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
               typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
               const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
               typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n,
               u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  using Word = typename Codec::Word;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  using OfRow = Minima<Word, groups>;
  constexpr u32 own = groups / ranks;  // groups of a block
  static_assert(own >= 1 && own <= nt);
  constexpr layout::SelectedCluster parts = layout::selected_cluster(nt, ranks, groups, capacity, sizeof(Item), sizeof(Word));
  u8* const shared = shared_memory<u8>();
  const Buffer candidates{reinterpret_cast<Item*>(shared)};  // of the first block
  u32* const count = reinterpret_cast<u32*>(shared + parts.count);
  const u32 rank = cluster_rank();
  arrive_at_cluster();
  if (thread_index() == 0) *count = 0;

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  const u32 wanted = minimum(k, length);
  const Row result(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                   indices_out, indices_out_stride);
  ClusterKeys<Codec, typename Row::Order, form, nt, vt, vector, ranks> keys;
  keys.load(result.keys, length);

  Word* const own_words = reinterpret_cast<Word*>(shared);
  u32* const own_places = reinterpret_cast<u32*>(own_words + nt);
  reduce_minima<nt, static_cast<int>(own)>(own_words, own_places, keys.minimum_of_thread());
  sync_block();
  wait_for_cluster();
  Word* const words = reinterpret_cast<Word*>(shared + parts.minima);
  const OfRow of_row{words, reinterpret_cast<u32*>(words + groups)};
  for (u32 i = thread_index(); i < u32{groups}; i += nt) {
    const u32 from = i % own;
    const OfRow there{shared_of_rank(of_row.words, i / own), shared_of_rank(of_row.places, i / own)};
    there.set(rank * own + from, {own_words[from], own_places[from]});
  }
  sync_cluster();

  auto* const found = reinterpret_cast<PlacedBound<Word>*>(shared + parts.bound);
  if (warp_index() == 0) {
    const PlacedBound<Word> bound = of_row.bound(maximum(wanted, 1u));
    if (lane() == 0) *found = bound;
  }
  sync_block();
  RowBound<Word> bound(found->least, found->word, length);
  bound.end = minimum(found->end, length);

  u32 bits = keys.not_behind(bound.word, bound.end, length);
  u32 all;
  while (true) {
    if (!all_of_warp(bits == 0)) {
      const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
      u32 to = 0;
      if (lane() == 0) to = atomic_add(shared_of_rank(count, 0), of_warp.all);
      to = shuffle(to, 0) + of_warp.before;
      const Buffer gathered{shared_of_rank(candidates.items, 0)};
      for (u32 left = bits; left != 0; left &= left - 1, ++to) {
        if (to < capacity) gathered[to] = keys.template item<Form>(bit_count((left & (0 - left)) - 1));
      }
    }
    sync_cluster();
    all = *shared_of_rank(count, 0);
    if (all <= capacity) break;
    ClusterSum<nt, ranks> sum(reinterpret_cast<u32*>(shared + parts.sums), reinterpret_cast<u32*>(shared + parts.of_ranks));
    do {
      bound.narrow(all < wanted);
      bits = keys.not_behind(bound.word, bound.end, length);
      all = sum(bit_count(bits));
    } while (all < wanted || all > capacity);
    if (thread_index() == 0) *count = 0;
    sync_cluster();
  }
  if (rank == 0) {
    if (all <= layout::ranked_candidates()) {
      write_ranked<Buffer, Row, nt>(candidates, result, k, all, wanted);
    } else {
      candidates.template sort<capacity>(all);
      candidates.write_first(result, k, wanted);
    }
  }
  sync_cluster();  // others may read this block's until then
}

}  // namespace bitune
