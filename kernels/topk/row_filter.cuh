#pragma once

// The first k of what a block or a cluster streams: one pass, in which little is more than compared.
//
// A sample from random places is sorted, or the minima of groups of it are. One of these is the bound. It is a little
// behind the k-th key: fewer than k keys are hardly ever up to it (runtime/variants/sampling.hpp has the chance). As no two keys are equal with their places, and a
// clock decides where samples are taken, that holds for any input. What is not behind the bound is a candidate, and goes to shared memory.
// At the end the candidates are sorted.
//
// Where there are fewer than k candidates, or more than there is room for, the first block takes all once more: it sorts whenever the
// candidates fill their room, keeps the first k and goes on with the k-th one as the bound.

#include "kernels/network/random_place.cuh"
#include "kernels/topk/candidates.cuh"
#include "kernels/topk/key_stream.cuh"
#include "kernels/topk/sampled_keys.cuh"

namespace bitune {

/// Which of the sorted samples is the bound of the first k of n keys, where nobody has computed it exactly. More samples are among the first
/// k at most once in a million times (S. N. Bernstein's inequality). Of no keys there is no share: then it is 2.
BITUNE_DEVICE u32 sample_rank_of(u32 samples, u32 k, u32 n) {
  constexpr float chance = 14;  // -log of it
  const float expected = static_cast<float>(samples) * approximate_quotient(static_cast<float>(k), static_cast<float>(n));
  return truncated(expected + chance / 3 + approximate_square_root(chance * chance / 9 + 2 * expected * chance)) + 2;
}

/// One of `samples` equal parts of n places, a random one of each.
BITUNE_DEVICE u32 sampled_place(u32 sample, u32 samples, u32 n) {
  const u32 begin = static_cast<u32>(u64{sample} * n / samples);
  const u32 end = static_cast<u32>(u64{sample + 1} * n / samples);
  return begin + static_cast<u32>(random_place(sample, end - begin));  // of a part without places, the one that follows
}

/// How many samples a row has, as halves of all that its threads can take, and which of the minima of their groups is the bound.
struct RowSample {
  u32 rank;
  u32 halved = 0;
};

/// A cluster of `ranks` blocks (1: a block) of nt threads each. Shared memory of each block: layout::filtered_row. The sample has
/// nt * samples keys, which the first block sorts (groups is 0); or `ranks` times as many, of which minima are sorted. capacity: candidates that
/// there is room for, at least k + nt.
template <class Row, int nt, int samples, int capacity, int ranks, int shuffle_steps, int groups = 0>
struct RowFilter {
  using Item = typename Row::Item;
  using Form = typename Row::Form;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  using Sample = SampledKeys<typename Row::Order, nt, samples, ranks, groups == 0 ? ranks : groups>;
  static constexpr u32 sample_count = u32{nt} * samples;
  static_assert(RowThreads<nt>::is_block);

  u32 rank;
  Buffer candidates;
  Item* shared_bound;
  u32* count;
  RowSums<nt> sums;

  BITUNE_DEVICE RowFilter()
      : rank(ranks == 1 ? 0 : cluster_rank()),
        candidates{shared_memory<Item>()},
        shared_bound(reinterpret_cast<Item*>(shared_memory<u8>() + parts().bound)),
        count(reinterpret_cast<u32*>(shared_memory<u8>() + parts().count)),
        sums(reinterpret_cast<u32*>(shared_memory<u8>() + parts().sums)) {
    if (thread_index() == 0) *count = 0;
    if constexpr (groups != 0 && ranks > 1) arrive_at_cluster();
  }

  BITUNE_DEVICE static constexpr layout::FilteredRow parts() {
    return layout::filtered_row(nt, groups == 0 ? layout::padded_bytes(sample_count, sizeof(Item)) : Sample::parts.bytes, capacity, sizeof(Item));
  }

  /// The sample for the first k of n keys, where nobody has computed it exactly. Of a large share of all keys it is smaller, so that there are
  /// enough groups.
  BITUNE_DEVICE static RowSample sample_of(u32 k, u32 n) {
    RowSample sample{sample_rank_of(Sample::count, k, n)};
    while (sample.rank > groups / 2 && samples >> sample.halved > 1) sample.rank = sample_rank_of(Sample::count >> ++sample.halved, k, n);
    return sample;
  }

  /// What the first keys of the stream are not behind, by minima, for all blocks: all, if there is room for all. A barrier of them all.
  template <class Stream>
  BITUNE_DEVICE Item bound_of(const Stream& stream, RowSample sample) const {
    if (stream.length <= capacity) {
      if constexpr (ranks > 1) wait_for_cluster();
      sync_block();  // thread 0 has set the count
      return last_item<Form>();
    }
    const Sample taken(stream, stream.length, sample.halved);
    taken.gather_minima();
    if (rank == 0 && warp_index() == 0) {
      const bool has_bound = sample.rank <= groups;
      const auto found = taken.minima().bound(has_bound ? sample.rank : 1);
      if (lane() == 0) *shared_bound = has_bound ? Form::make(found.word, found.end - 1) : last_item<Form>();
    }
    sync_ranks<ranks>();
    return *(ranks == 1 ? shared_bound : shared_of_rank(shared_bound, 0));
  }

  /// The sample of that rank, for all blocks. A barrier of them all.
  template <class Stream>
  BITUNE_DEVICE Item sampled_bound(const Stream& stream, u32 bound_rank) const {
    if (rank == 0) {
      using Tile = RegisterTile<Item, PlacedComparator<0>, nt, samples, shuffle_steps>;
      Item items[samples];
      BITUNE_UNROLL
      for (int r = 0; r < samples; ++r) items[r] = stream.item(sampled_place(r * nt + thread_index(), sample_count, stream.length));
      Tile::sort(candidates.items, items);
      BITUNE_UNROLL
      for (int r = 0; r < samples; ++r) {
        if (thread_index() * samples + r + 1 == bound_rank) *shared_bound = items[r];
      }
      if (thread_index() == 0 && bound_rank > sample_count) *shared_bound = last_item<typename Row::Form>();
    }
    if constexpr (ranks == 1) {
      sync_block();  // else the bound is wrong, which costs time alone
      return *shared_bound;
    } else {
      sync_cluster();  // else the bound is wrong, which costs time alone
      return *shared_of_rank(shared_bound, 0);
    }
  }

  /// Takes candidates of the stream, whose keys are there when they are gathered.
  template <class Stream>
  BITUNE_DEVICE auto taking_from(const Stream& stream) const {
    return [this, &stream](u32 bits, const auto& place) {
      u32 to = atomic_add(count, bit_count(bits));
      for (; bits != 0 && to < capacity; bits &= bits - 1, ++to) stream.fetch(candidates[to], place(lowest_bit(bits)));
    };
  }

  /// Brings the candidates of all blocks to the first one. How many there are, which may be more than there is room for. A thread may read
  /// those at its own number, and at distances of nt, before another barrier.
  template <class Stream>
  BITUNE_DEVICE u32 gather(const Stream& stream) const {
    cp_async_wait_all();
    const auto send = [&](const Buffer& to, u32 begin, u32 all) {
      if (all > capacity) return;
      for (u32 i = thread_index(); i < *count; i += nt) to[begin + i] = stream.fetched(candidates[i]);
    };
    if constexpr (ranks == 1) {
      sync_block();
      send(candidates, 0, *count);
      return *count;
    } else {
      sync_cluster();
      u32 of_block = 0;
      if (lane() < ranks) of_block = *shared_of_rank(count, lane());
      const ThreadSums all = RowSums<static_cast<int>(warp_size)>(nullptr)(of_block);
      const u32 before = shuffle(all.before, rank);
      send(rank == 0 ? candidates : Buffer{shared_of_rank(candidates.items, 0)}, before, all.all);
      sync_cluster();
      return all.all;
    }
  }

  /// Writes the first k of the row, which has `wanted` keys of them. They are among what streams; if not `streams`, among the row's `length`
  /// keys.
  template <class Stream>
  BITUNE_DEVICE void write_first(const Row& row, u32 length, u32 k, u32 wanted, const Stream& stream, bool streams, u32 bound_rank) {
    u32 all = 0;
    if (streams) {
      Item bound = last_item<typename Row::Form>();
      if (stream.length > capacity) {
        bound = sampled_bound(stream, bound_rank);
      } else {
        sync_block();  // thread 0 has set the count
      }
      stream.pass_share(bound, rank, ranks, taking_from(stream));
      all = gather(stream);
    }
    if (rank != 0) return;
    const auto source = [&](u32 i) { return streams ? stream.item(i) : row.item(i); };
    const u32 last = streams ? stream.length : length;
    write_sorted<(2 * nt < capacity ? 2 * nt : capacity)>(row, k, wanted, source, last, streams && all >= wanted && all <= capacity, all);
  }

  /// Writes the first k of the row. Usually (`is_done`) `all` candidates are there, and they are sorted. Else all is taken once more from the
  /// `last` items of the source. least: of the networks that sort.
  template <int least, class Source>
  BITUNE_DEVICE void write_sorted(const Row& row, u32 k, u32 wanted, const Source& source, u32 last, bool is_done, u32 all) {
    u32 next = is_done ? last : 0;
    if (!is_done) all = 0;
    Item bound = last_item<typename Row::Form>();
    while (true) {
      for (; next < last && all <= capacity - nt; next += nt) {
        const u32 i = next + thread_index();
        Item item = last_item<typename Row::Form>();
        bool passes = false;
        if (i < last) {
          item = source(i);
          passes = !(bound < item);
        }
        const ThreadSums of_block = sums(passes ? 1 : 0);
        if (passes) candidates[all + of_block.before] = item;
        all += of_block.all;
      }
      sync_block();
      candidates.template sort<least>(all);
      if (next >= last) break;
      all = wanted;
      bound = candidates[wanted - 1];
    }
    candidates.write_first(row, k, wanted);
  }
};

}  // namespace bitune
