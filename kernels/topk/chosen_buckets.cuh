#pragma once

// Where buckets end (bucket_array.cuh), by a sample of which little is put in order. The samples lie in the registers of a cluster. The minima
// of groups of them give a bound. The few that are not behind it go to the first block, which puts them in order by bins. So a large sample
// takes hardly longer than a small one.

#include "kernels/network/launch.cuh"
#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/bucket_layout.hpp"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// The samples of a thread, of ranks * nt * vt in all. groups: of samples, `ranks` to ranks * nt. Shared memory: layout::sampled_minima, where it
/// begins.
template <class Order, int nt, int vt, int ranks, int groups>
struct SampledKeys {
  using Word = typename Order::Word;
  using Raw = typename Order::Raw;
  static constexpr u32 count = u32{ranks} * nt * vt;
  static constexpr u32 own = groups / ranks;
  static constexpr layout::SampledMinima parts = layout::sampled_minima(nt, groups, sizeof(Word));
  static_assert(own >= 1 && own <= nt);

  Word words[vt];
  u32 places[vt];

  /// Neighbouring samples are of different groups, so that those of keys in order are, too. Of no keys, samples are behind all.
  BITUNE_DEVICE SampledKeys(const Raw* keys, u32 length) {
    const u32 rank = cluster_rank();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      places[r] = length == 0 ? ~u32{0} : sampled_place((r * nt + thread_index()) * ranks + rank, count, length);
      words[r] = length == 0 ? Order::last : Order::encode(keys[places[r]]);
    }
  }

  template <class Form>
  BITUNE_DEVICE typename Form::Item item(int r) const {
    return Form::make(words[r], places[r]);
  }

  /// The groups' minima, in the first block once gather_minima is done.
  BITUNE_DEVICE Minima<Word, groups> minima() const {
    Word* const all = reinterpret_cast<Word*>(shared_memory<u8>() + parts.minima);
    return {all, reinterpret_cast<u32*>(all + groups)};
  }

  /// Two barriers of the cluster. Its blocks have arrived at another one before.
  BITUNE_DEVICE void gather_minima() const {
    Word* const of_threads = shared_memory<Word>();
    u32* const their_places = reinterpret_cast<u32*>(of_threads + nt);
    const u32 rank = cluster_rank();
    PlacedWord<Word> least{words[0], places[0]};
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      const PlacedWord<Word> sample{words[r], places[r]};
      if (sample < least) least = sample;
    }
    reduce_minima<nt, static_cast<int>(own)>(of_threads, their_places, least);
    wait_for_cluster();
    if (thread_index() < own) {  // a thread's own words
      const Minima<Word, groups> first{shared_of_rank(minima().words, 0), shared_of_rank(minima().places, 0)};
      first.set(rank * own + thread_index(), {of_threads[thread_index()], their_places[thread_index()]});
    }
    sync_cluster();  // else the bound is wrong, which costs time alone
  }
};

/// Where sorted samples go: those that buckets end with, of the first `used`. Bucket b ends with the sample of rank (b + 1) * used / buckets,
/// or with the first one.
template <class Form_>
struct BucketEnds {
  using Form = Form_;
  using Item = typename Form::Item;
  Item* last;
  u32 buckets;
  u32 used;

  BITUNE_DEVICE void write(u32 i, Item item) const {
    for (u32 b = i == 0 ? 0 : ((i + 1) * buckets + used - 1) / used - 1; b < buckets; ++b) {
      if (maximum((b + 1) * used / buckets, 1u) != i + 1) break;
      last[b] = item;
    }
  }
  BITUNE_DEVICE void fill(u32 /*i*/) const {}
};

/// The first launch, in the place of sample_buckets_of_first: puts the first of ranks * nt * vt samples of the n keys in order. `last` has the
/// last item of each bucket, of which the last one is the sample_rank-th sample (all ones where that is not found). Sets the buckets'
/// counts to 0.
///
/// What is put in order is up to the minimum_rank-th of the minima of `groups` groups of samples: hardly ever fewer than sample_rank.
/// Grid: one cluster of `ranks` blocks. Dynamic shared memory: layout::chosen_buckets.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int ranks, int groups, int capacity>
BITUNE_KERNEL(nt, 1)
choose_buckets_of_first(typename Placed<typename Codec::Word, form>::Item* last, u32* counts, u32 buckets, const typename Codec::Raw* keys,
                        const u8* lengths, u64 length_bytes, u32 n, u32 k, u32 sample_rank, u32 minimum_rank) {
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Word = typename Codec::Word;
  using Ends = BucketEnds<Form>;
  using Buffer = Candidates<Form, nt, capacity, 2>;
  using Sample = SampledKeys<FirstKeysCodec<Codec, carries>, nt, vt, ranks, groups>;
  constexpr layout::ChosenBuckets parts = layout::chosen_buckets(nt, groups, capacity, sizeof(Item), sizeof(Word));
  u8* const shared = shared_memory<u8>() + layout::rounded_up(Sample::parts.bytes, 16);
  const Buffer candidates{reinterpret_cast<Item*>(shared)};  // of the first block
  Item* const found = reinterpret_cast<Item*>(shared + parts.bound);
  u32* const count = reinterpret_cast<u32*>(shared + parts.count);
  const u32 rank = cluster_rank();
  if (thread_index() == 0) *count = 0;
  arrive_at_cluster();
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 bound_rank = length == n ? sample_rank : sample_rank_of(Sample::count, minimum(k, length), length);
  for (u32 i = rank * nt + thread_index(); i < buckets; i += ranks * nt) counts[i * layout::words_of_count()] = 0;
  const Sample sample(keys, length);
  sample.gather_minima();
  const u32 of_minima = minimum(length == n ? minimum_rank : bound_rank, u32{groups});
  if (rank == 0 && warp_index() == 0) {
    const PlacedBound<Word> bound = sample.minima().bound(of_minima);
    if (lane() == 0) *found = Form::make(bound.word, bound.end - 1);
  }
  sync_cluster();  // else the bound is wrong, which costs time alone
  const Item bound = *shared_of_rank(found, 0);
  u32 bits = 0;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) bits |= bound < sample.template item<Form>(r) ? 0 : u32{1} << r;
  if (!all_of_warp(bits == 0)) {
    const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
    u32* const first_count = shared_of_rank(count, 0);
    const Buffer gathered{shared_of_rank(candidates.items, 0)};
    u32 to = 0;
    if (lane() == 0) to = atomic_add(first_count, of_warp.all);
    to = shuffle(to, 0) + of_warp.before;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if ((bits >> r & 1) == 0) continue;
      if (to < capacity) gathered[to] = sample.template item<Form>(r);
      ++to;
    }
  }
  sync_cluster();  // else the bound is wrong, which costs time alone
  if (rank != 0) return;
  const u32 all = *count;
  if (length < Sample::count || bound_rank > all || all > capacity) {  // fewer keys: some were taken twice
    for (u32 i = thread_index(); i < buckets; i += nt) last[i] = last_item<Form>();
    return;
  }
  RowSums<nt> sums(reinterpret_cast<u32*>(shared + parts.sums));
  BinnedCandidates<Ends, Buffer, nt, capacity>(candidates, shared + parts.bins)
      .write_first(Ends{last, buckets, bound_rank}, bound_rank, all, bound_rank, sums);
}

}  // namespace bitune
