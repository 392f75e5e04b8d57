#pragma once

// The first k keys of one long array, k being large. As in filter_array.cuh a sample gives a bound, and the whole device keeps what is not
// behind it. Here the samples up to the bound cut the candidates into buckets as well: each goes to its own as it is found. A block then puts
// a bucket in order, and writes it behind all that the buckets before it have.
//
// As the samples are of random places, a bucket seldom has more candidates than its block can hold. Then the block takes parts of it, between
// keys that it finds digit by digit. Where a bucket has no room, or where there are fewer than k candidates, which happens once in a million
// times, each block does so with an equal share of the first k, among the keys themselves.

#include "kernels/network/launch.cuh"
#include "kernels/topk/binned_candidates.cuh"
#include "kernels/topk/bucket_layout.hpp"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/placed_digits.cuh"
#include "kernels/topk/row_filter.cuh"

namespace bitune {

/// The first launch: the ends of buckets, from ranks * nt * vt samples of the n keys. `last` has the last item of each bucket, of which the last
/// one is the sample_rank-th sample (where there is none, all of them are behind all keys). Sets the buckets' counts to 0.
///
/// Each block finds a bound that its share of the first samples is up to. What is up to the largest of these bounds, all blocks tell each other,
/// and each counts for its own samples how many are before them: nothing is sorted but a block's minima.
///
/// own: groups of a block's samples, at least twice its share. Grid: one cluster of `ranks` blocks. Dynamic shared memory:
/// layout::sampled_ends.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int vt, int ranks, int own>
BITUNE_KERNEL(nt, 1)
sample_ends(typename Placed<typename Codec::Word, form>::Item* last, u32* counts, u32 buckets, const typename Codec::Raw* keys,
            const u8* lengths, u64 length_bytes, u32 n, u32 k, u32 sample_rank) {
  using Order = FirstKeysCodec<Codec, carries>;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Word = typename Codec::Word;
  constexpr layout::SampledEnds parts = layout::sampled_ends(nt, ranks, own, sizeof(Item), sizeof(Word));
  constexpr u32 room = layout::samples_of_block(own);
  u8* const shared = shared_memory<u8>();
  Word* const words = reinterpret_cast<Word*>(shared);
  u32* const places = reinterpret_cast<u32*>(words + nt);
  Item* const all = reinterpret_cast<Item*>(shared + parts.all);        // `room` of each block
  Item* const bounds = reinterpret_cast<Item*>(shared + parts.bounds);  // of each block
  u32* const of_ranks = reinterpret_cast<u32*>(shared + parts.counts);  // how many `all` has of each
  const u32 rank = ranks == 1 ? 0 : cluster_rank();
  const auto there = [](auto* here, u32 of_rank) {
    if constexpr (ranks == 1) {
      return here;
    } else {
      return shared_of_rank(here, of_rank);
    }
  };
  const auto sync_all = [] {
    if constexpr (ranks == 1) {
      sync_block();
    } else {
      sync_cluster();
    }
  };
  if constexpr (ranks > 1) arrive_at_cluster();
  if (thread_index() == 0) of_ranks[rank] = 0;
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  for (u32 i = rank * nt + thread_index(); i < buckets; i += ranks * nt) counts[i * layout::words_of_count()] = 0;
  // Of a shorter array the first k are a larger part. Then fewer samples are enough.
  u32 taken = vt;
  u32 samples = u32{ranks} * nt * vt;
  u32 bound_rank = sample_rank;
  if (length != n) {
    do {
      samples = u32{ranks} * nt * taken;
      bound_rank = sample_rank_of(samples, minimum(k, length), length);
    } while (bound_rank > u32{ranks} * own / 2 && (taken /= 2) != 0);
  }
  const u32 share = (bound_rank + ranks - 1) / ranks;
  const bool has_bound = share <= own && taken != 0 && length >= samples;

  Item items[vt];
  PlacedWord<Word> least{Order::last, ~u32{0}};
  if (has_bound) {
    u32 place[vt];
    Word word[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      place[r] = sampled_place((minimum(u32(r), taken - 1) * ranks + rank) * nt + thread_index(), samples, length);
      word[r] = Order::encode(keys[place[r]]);
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      items[r] = Form::make(word[r], place[r]);
      const PlacedWord<Word> sample{word[r], place[r]};
      if (r < static_cast<int>(taken) && sample < least) least = sample;
    }
  }
  reduce_minima<nt, own>(words, places, least);
  sync_block();
  if constexpr (ranks > 1) wait_for_cluster();
  if (warp_index() == 0) {
    const PlacedBound<Word> found = Minima<Word, own>{words, places}.bound(has_bound ? share : 1);
    if (lane() < ranks) there(bounds, lane())[rank] = Form::make(found.word, found.end - 1);
  }
  sync_all();
  if (has_bound) {
    Item bound = bounds[0];
    BITUNE_UNROLL
    for (int r = 1; r < ranks; ++r) bound = bound < bounds[r] ? bounds[r] : bound;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r >= static_cast<int>(taken) || bound < items[r]) continue;
      const u32 to = atomic_add(of_ranks + rank, 1);
      if (to < room) all[rank * room + to] = items[r];
    }
  }
  sync_block();
  const u32 mine = of_ranks[rank];
  if constexpr (ranks > 1) {
    for (u32 i = thread_index(); i < ranks * room; i += nt) {
      const u32 to = i / room;
      const u32 sample = rank * room + i % room;
      if (to == rank) continue;
      if (i % room < mine) there(all, to)[sample] = all[sample];
      if (i % room == 0) there(of_ranks, to)[rank] = mine;
    }
    sync_cluster();
  }
  bool fits = has_bound;
  BITUNE_UNROLL
  for (int r = 0; r < ranks; ++r) fits &= of_ranks[r] <= room;
  if (!fits) {
    for (u32 i = rank * nt + thread_index(); i < buckets; i += ranks * nt) last[i] = last_item<Form>();
    return;
  }
  // A warp for each sample. Bucket b ends with the sample of rank (b + 1) * bound_rank / buckets, or with the first one.
  for (u32 i = warp_index(); i < mine; i += nt / warp_size) {
    const Item item = all[rank * room + i];
    u32 before[1] = {0};
    for (u32 r = 0; r < ranks; ++r) {
      for (u32 other = lane(); other < of_ranks[r]; other += warp_size) before[0] += all[r * room + other] < item ? 1 : 0;
    }
    warp_sum_each(before);
    const u32 place = before[0] + 1;
    if (lane() != 0 || place > bound_rank) continue;
    for (u32 b = place == 1 ? 0 : (place * buckets + bound_rank - 1) / bound_rank - 1; b < buckets; ++b) {
      if (maximum((b + 1) * bound_rank / buckets, 1u) != place) break;
      last[b] = item;
    }
  }
}

/// The second launch: each key that is not behind the bound goes to its bucket, as long as there is room. Candidates go to shared memory
/// first, `staged` of them a block, and are told their buckets together.
///
/// Grid: as many blocks as run at once. Dynamic shared memory: layout::bucketing_bytes.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt, int loads, int staged, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
filter_to_buckets(typename Placed<typename Codec::Word, form>::Item* items, u32 room, u32* counts, u32 buckets,
                  const typename Placed<typename Codec::Word, form>::Item* last, const typename Codec::Raw* keys, const u8* lengths,
                  u64 length_bytes, u32 n) {
  using Row = ResultRow<Codec, form, 0, carries ? 4 : 0>;
  using Item = typename Row::Item;
  using Stream = KeyStream<Codec, Row, nt, loads>;
  Item* const stage = shared_memory<Item>();
  Item* const ends = stage + staged;
  u32* const taken = reinterpret_cast<u32*>(ends + buckets);
  begin_launch();
  if (thread_index() == 0) *taken = 0;
  for (u32 i = thread_index(); i < buckets; i += nt) ends[i] = last[i];
  sync_block();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const Row row(0, nullptr, 0, keys, 0, nullptr, 0, nullptr, 0, nullptr, 0);
  const Stream stream(row, length);
  const Item bound = ends[buckets - 1];

  const auto put = [&](Item item) {
    u32 bucket = 0;  // as many ends are before the item
    for (u32 step = u32{1} << (63 - leading_zeros(buckets)); step != 0; step /= 2) {
      if (bucket + step < buckets && ends[bucket + step - 1] < item) bucket += step;
    }
    const u32 to = atomic_add(counts + bucket * layout::words_of_count(), 1);
    if (to < room) items[u64{bucket} * room + to] = item;
  };
  const auto append = [&](u32 bits, const auto& place) {
    u32 to = atomic_add(taken, bit_count(bits));
    for (; bits != 0; bits &= bits - 1, ++to) {
      const Item item = row.item(place(lowest_bit(bits)));
      if (to < staged) {
        stage[to] = item;
      } else {
        put(item);
      }
    }
  };
  stream.pass(bound, block_index() * Stream::chunk, stream.count, u64{block_count()} * Stream::chunk, append);
  if (block_index() == 0 && warp_index() == 0) stream.pass_ends(bound, append);
  sync_block();
  for (u32 i = thread_index(); i < minimum(*taken, u32{staged}); i += nt) put(stage[i]);
}

/// The last launch: a block puts the candidates of its bucket in order, up to `capacity` at once, and writes those of the first k. counts: of
/// each of `buckets`, for which there are `room` items. Grid: a block for each bucket. Dynamic shared memory: layout::sorted_bucket.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int capacity, int shuffle_steps,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sort_buckets(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
             const typename CarriedValue<value_bytes>::Type* values_in, typename CarriedValue<index_bytes>::Type* indices_out,
             const u8* lengths, u64 length_bytes, u32 n, u32 k, const typename Placed<typename Codec::Word, form>::Item* items, u32 room,
             const u32* counts, u32 buckets) {
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
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 wanted = minimum(k, length);
  for (bool is_whole = false; !is_whole;) {
    u32 places[3] = {0, 0, 0};  // candidates in the buckets before this one; in all; how many buckets lack room
    for (u32 i = thread_index(); i < buckets; i += nt) {
      const u32 count = counts[i * layout::words_of_count()];
      places[0] += i < block_index() ? count : 0;
      places[1] += count;
      places[2] += count > room ? 1 : 0;
    }
    GroupSum<u32, ThreadGroup<nt, 1>, 3>{sums}(places);
    const bool complete = places[2] == 0 && places[1] >= wanted;
    // The block writes what is from `from` to before `to`.
    const u32 count = complete ? counts[block_index() * layout::words_of_count()] : length;
    const u32 from = complete ? minimum(places[0], wanted) : static_cast<u32>(u64{wanted} * block_index() / buckets);
    const u32 to = complete ? minimum(from + count, wanted) : static_cast<u32>(u64{wanted} * (block_index() + 1) / buckets);
    const u32 begin = from + *done;
    const u32 end = minimum(begin + capacity, to);
    if (begin >= to) break;
    is_whole = complete && count <= capacity;

    const Item* const bucket = items + u64{block_index()} * room;
    u32 all = count;
    if (is_whole) {
      for (u32 i = thread_index(); i < count; i += nt) candidates[i] = bucket[i];
    } else {
      const Row array(0, nullptr, 0, keys_in, 0, nullptr, 0, nullptr, 0, nullptr, 0);
      const auto source = [&](u32 i) { return complete ? bucket[i] : array.item(i); };
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
    const Row row(1, keys_out, begin, keys_in, 0, values_out, begin, values_in, 0, indices_out, begin);
    RowSums<nt> prefix_sums(sums + layout::sum_words(nt, 3));
    BinnedCandidates<Row, Buffer, nt, capacity>(candidates, shared + parts.bins).write_first(row, end - begin, all, end - begin, prefix_sums);
    sync_block();
  }
  const Row array(0, keys_out, 0, keys_in, 0, values_out, 0, values_in, 0, indices_out, 0);
  for (u32 i = wanted + block_index() * nt + thread_index(); i < k; i += block_count() * nt) array.fill(i);
}

}  // namespace bitune
