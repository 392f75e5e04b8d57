#pragma once

// The first k keys of long rows, k being large; an array is a row. As in filter_array.cuh a sample gives a bound, and blocks of the whole
// device keep what is not behind it. Here the samples up to the bound cut the candidates into buckets as well: each goes to its own as it is
// found. A block then puts a bucket in order, and writes it behind all that the buckets of its row before it have.
//
// As the samples are of random places, a bucket seldom has more candidates than its block can hold. Then the block takes parts of it, between
// keys that it finds digit by digit. Once in a million times a bucket has no room, or there are fewer than k candidates. Then each block of
// the row does so with an equal share of the first k, among the keys themselves.

#include "kernels/network/launch.cuh"
#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/bucket_layout.hpp"
#include "kernels/topk/placed_digits.cuh"
#include "kernels/topk/row_filter.cuh"
#include "kernels/topk/sampled_keys.cuh"

namespace bitune {

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

/// The first launch: puts the first of ranks * nt * vt samples of each row's n keys in order. `last` has the last item of each of a row's
/// `buckets`, of which the last one is the sample_rank-th sample (all ones where that is not found). Sets the buckets' counts to 0.
///
/// What is put in order is up to the minimum_rank-th of the minima of `groups` groups of samples: hardly ever fewer than sample_rank. Of a larger
/// minimum_rank it is the whole sample.
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory: layout::sampled_buckets.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int ranks, int groups, int capacity>
BITUNE_KERNEL(nt, 1)
sample_buckets_of_first(typename Placed<typename Codec::Word, form>::Item* last, u32* counts, u32 buckets, const typename Codec::Raw* keys,
                        u64 keys_stride, const u8* lengths, u64 length_bytes, u32 n, u32 k, u32 sample_rank, u32 minimum_rank) {
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Word = typename Codec::Word;
  using Ends = BucketEnds<Form>;
  using Buffer = Candidates<Form, nt, capacity, 2>;
  using Sample = SampledKeys<FirstKeysCodec<Codec, carries>, nt, vt, ranks, groups>;
  constexpr layout::SampledBuckets parts = layout::sampled_buckets(nt, groups, capacity, sizeof(Item), sizeof(Word));
  u8* const shared = shared_memory<u8>() + Sample::parts.bytes;
  const Buffer candidates{reinterpret_cast<Item*>(shared)};  // of the first block
  Item* const found = reinterpret_cast<Item*>(shared + parts.bound);
  u32* const count = reinterpret_cast<u32*>(shared + parts.count);
  const u32 rank = ranks == 1 ? 0 : cluster_rank();
  if (thread_index() == 0) *count = 0;
  if constexpr (ranks > 1) arrive_at_cluster();
  begin_launch();
  const u64 row = block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, row, n);
  const u32 bound_rank = length == n ? sample_rank : sample_rank_of(Sample::count, minimum(k, length), length);
  last += row * buckets;
  counts += row * buckets * layout::words_of_count();
  for (u32 i = rank * nt + thread_index(); i < buckets; i += ranks * nt) counts[i * layout::words_of_count()] = 0;
  const Sample sample(keys + row * keys_stride, length);
  sample.gather_minima();
  const bool is_whole = minimum_rank > groups;
  const u32 of_minima = minimum(length == n ? minimum_rank : bound_rank, u32{groups});
  if (rank == 0 && warp_index() == 0) {
    const PlacedBound<Word> bound = sample.minima().bound(of_minima);
    if (lane() == 0) *found = is_whole ? last_item<Form>() : Form::make(bound.word, bound.end - 1);
  }
  sync_ranks<ranks>();
  const Item bound = *(ranks == 1 ? found : shared_of_rank(found, 0));
  u32 bits = 0;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) bits |= bound < sample.template item<Form>(r) ? 0 : u32{1} << r;
  if (!all_of_warp(bits == 0)) {
    const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
    u32* const first_count = ranks == 1 ? count : shared_of_rank(count, 0);
    const Buffer gathered{ranks == 1 ? candidates.items : shared_of_rank(candidates.items, 0)};
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
  sync_ranks<ranks>();
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

/// The second launch: each key that is not behind the bound goes to its bucket, as long as there is room. Candidates go to shared memory
/// first, `staged` of them a block. Then they take their places in the buckets together: a block adds to a bucket's count once.
///
/// Grid: `shares` blocks a row. Dynamic shared memory: layout::bucketing_bytes.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int loads, int staged, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
filter_to_buckets(typename Placed<typename Codec::Word, form>::Item* items, u32 room, u32* counts, u32 buckets,
                  const typename Placed<typename Codec::Word, form>::Item* last, const typename Codec::Raw* keys, u64 keys_stride,
                  const u8* lengths, u64 length_bytes, u32 n, u32 shares) {
  using Row = ResultRow<Codec, form, 0, carries ? 4 : 0>;
  using Item = typename Row::Item;
  using Stream = KeyStream<Codec, Row, nt, loads>;
  Item* const stage = shared_memory<Item>();
  Item* const ends = stage + staged;
  u32* const tags = reinterpret_cast<u32*>(ends + buckets);  // of candidates: the bucket, and above it the place among those of the block
  u32* const numbers = tags + staged;                         // of each bucket's candidates; then where the first of them goes
  u32* const taken = numbers + buckets;
  begin_launch();
  if (thread_index() == 0) *taken = 0;
  for (u32 i = thread_index(); i < buckets; i += nt) numbers[i] = 0;
  const u64 index = block_index() / shares;
  const u32 share = block_index() % shares;
  for (u32 i = thread_index(); i < buckets; i += nt) ends[i] = last[index * buckets + i];
  items += index * buckets * room;
  counts += index * buckets * layout::words_of_count();
  sync_block();
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  const Row row(index, nullptr, 0, keys, keys_stride, nullptr, 0, nullptr, 0, nullptr, 0);
  const Stream stream(row, length);
  const Item bound = ends[buckets - 1];

  const auto bucket_of = [&](Item item) {
    u32 bucket = 0;  // as many ends are before the item
    for (u32 step = u32{1} << (63 - leading_zeros(buckets)); step != 0; step /= 2) {
      if (bucket + step < buckets && ends[bucket + step - 1] < item) bucket += step;
    }
    return bucket;
  };
  const auto count_in = [&](u32 bucket, u32 more) { return atomic_add(counts + bucket * layout::words_of_count(), more); };
  const auto put = [&](Item item, u32 bucket, u32 to) {
    if (to < room) items[u64{bucket} * room + to] = item;
  };
  const auto append = [&](u32 bits, const auto& place) {
    u32 to = atomic_add(taken, bit_count(bits));
    for (; bits != 0; bits &= bits - 1, ++to) {
      const u32 at = place(lowest_bit(bits));
      if (to < staged) {
        stream.fetch(stage[to], at);
      } else {
        const Item item = row.item(at);
        const u32 bucket = bucket_of(item);
        put(item, bucket, count_in(bucket, 1));
      }
    }
  };
  stream.pass(bound, share * Stream::chunk, stream.count, u64{shares} * Stream::chunk, append);
  if (share == 0 && warp_index() == 0) stream.pass_ends(bound, append);
  cp_async_wait_all();
  sync_block();
  const u32 all = minimum(*taken, u32{staged});
  for (u32 i = thread_index(); i < all; i += nt) {
    const u32 bucket = bucket_of(stream.fetched(stage[i]));
    tags[i] = bucket | atomic_add(numbers + bucket, 1) << 16;
  }
  sync_block();
  for (u32 i = thread_index(); i < buckets; i += nt) {
    if (numbers[i] != 0) numbers[i] = count_in(i, numbers[i]);
  }
  sync_block();
  for (u32 i = thread_index(); i < all; i += nt) {
    const u32 bucket = tags[i] & 0xffff;
    put(stream.fetched(stage[i]), bucket, numbers[bucket] + (tags[i] >> 16));
  }
}

/// The last launch: a block puts the candidates of its bucket in order, up to `capacity` at once, and writes those of the first k. counts: of
/// each of a row's `buckets`, for which there are `room` items. Grid: a block for each bucket. Dynamic shared memory: layout::sorted_bucket.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int capacity, int shuffle_steps,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sort_buckets(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
             typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
             const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
             typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n, u32 k,
             const typename Placed<typename Codec::Word, form>::Item* items, u32 room, const u32* counts, u32 buckets) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Form = typename Row::Form;
  using Item = typename Row::Item;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  constexpr layout::SortedBucket parts = layout::sorted_bucket(nt, capacity, sizeof(Item));
  u8* const shared = shared_memory<u8>();
  const Buffer candidates{reinterpret_cast<Item*>(shared)};
  u32* const sums = reinterpret_cast<u32*>(shared + parts.sums);
  u32* const taken = sums + layout::sum_words(nt, 3) + layout::prefix_sum_words(nt);
  u32* const done = taken + 1;  // in memory: what it waits for needs all registers
  if (thread_index() == 0) *done = 0;
  begin_launch();
  const u64 index = block_index() / buckets;
  const u32 number = block_index() % buckets;  // of the bucket in its row
  counts += index * buckets * layout::words_of_count();
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  const u32 wanted = minimum(k, length);
  const Row whole(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                  indices_out, indices_out_stride);
  for (bool is_whole = false; !is_whole;) {
    u32 places[3] = {0, 0, 0};  // candidates in the buckets before this one; in all; how many buckets lack room
    for (u32 i = thread_index(); i < buckets; i += nt) {
      const u32 count = counts[i * layout::words_of_count()];
      places[0] += i < number ? count : 0;
      places[1] += count;
      places[2] += count > room ? 1 : 0;
    }
    GroupSum<u32, ThreadGroup<nt, 1>, 3>{sums}(places);
    const bool complete = places[2] == 0 && places[1] >= wanted;
    // The block writes what is from `from` to before `to`.
    const u32 count = complete ? counts[number * layout::words_of_count()] : length;
    const u32 from = complete ? minimum(places[0], wanted) : static_cast<u32>(u64{wanted} * number / buckets);
    const u32 to = complete ? minimum(from + count, wanted) : static_cast<u32>(u64{wanted} * (number + 1) / buckets);
    const u32 begin = from + *done;
    const u32 end = minimum(begin + capacity, to);
    if (begin >= to) break;
    is_whole = complete && count <= capacity;

    const Item* const bucket = items + u64{block_index()} * room;
    u32 all = count;
    if (is_whole) {
      for (u32 i = thread_index(); i < count; i += nt) candidates[i] = bucket[i];
    } else {
      const auto source = [&](u32 i) { return complete ? bucket[i] : whole.item(i); };
      const u32 first = complete ? from : 0;  // of the candidates, or of the keys
      u32* const counters = reinterpret_cast<u32*>(shared);
      const Item least = item_of_rank<Codec, Form, nt>(source, count, begin - first + 1, counters);
      const Item most = item_of_rank<Codec, Form, nt>(source, count, end - first, counters);
      if (thread_index() == 0) {
        *taken = 0;
        *done += capacity;
      }
      sync_block();
      for (u64 i = thread_index(); i < count; i += nt) {
        const Item item = source(static_cast<u32>(i));
        if (!(item < least) && !(most < item)) candidates[atomic_add(taken, 1)] = item;
      }
      all = end - begin;
    }
    sync_block();
    const Row row(1, whole.keys_out, begin, whole.keys, 0, whole.values_out, begin, whole.values, 0, whole.indices_out, begin);
    RowSums<nt> prefix_sums(sums + layout::sum_words(nt, 3));
    BinnedCandidates<Row, Buffer, nt, capacity>(candidates, shared + parts.bins).write_first(row, end - begin, all, end - begin, prefix_sums);
    sync_block();  // for nobody: the sum above has one
  }
  for (u32 i = wanted + number * nt + thread_index(); i < k; i += buckets * nt) whole.fill(i);
}

}  // namespace bitune
