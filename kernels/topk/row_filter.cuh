#pragma once

// The first k of what a block or a cluster streams: one pass, in which little is more than compared.
//
// A sample from random places is sorted. One of it is the bound: it is chosen so far behind the k-th key that hardly ever fewer than k keys
// are not behind it (runtime/variants/sampling.hpp has the chance), and not much farther. As no two keys are equal with their places, and a
// clock decides where samples are taken, that holds for any input. What is not behind the bound is a candidate, and goes to shared memory.
// At the end the candidates are sorted.
//
// Where there are fewer than k candidates, or more than there is room for, the first block takes all once more: it sorts whenever the
// candidates fill their room, keeps the first k and goes on with the k-th one as the bound.

#include "kernels/network/random_place.cuh"
#include "kernels/topk/candidates.cuh"
#include "kernels/topk/key_stream.cuh"

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

/// A cluster of `ranks` blocks (1: a block) of nt threads each. Shared memory of each block: layout::filtered_row. The sample has
/// nt * samples keys. capacity: candidates that there is room for, at least k + nt.
template <class Row, int nt, int samples, int capacity, int ranks, int shuffle_steps>
struct RowFilter {
  using Item = typename Row::Item;
  using Buffer = Candidates<typename Row::Form, nt, capacity, shuffle_steps>;
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
  }

  BITUNE_DEVICE static constexpr layout::FilteredRow parts() { return layout::filtered_row(nt, sample_count, capacity, sizeof(Item)); }

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

  /// Brings the candidates of all blocks to the first one. How many there are, which may be more than there is room for.
  BITUNE_DEVICE u32 gather() const {
    if constexpr (ranks == 1) {
      sync_block();
      return *count;
    } else {
      sync_cluster();
      u32 of_block = 0;
      if (lane() < ranks) of_block = *shared_of_rank(count, lane());
      const ThreadSums all = RowSums<static_cast<int>(warp_size)>(nullptr)(of_block);
      const u32 before = shuffle(all.before, rank);
      if (rank != 0 && all.all <= capacity) {
        const Buffer gathered{shared_of_rank(candidates.items, 0)};
        for (u32 i = thread_index(); i < *count; i += nt) gathered[before + i] = candidates[i];
      }
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
      stream.pass_share(bound, rank, ranks, [&](u32 bits, const auto& item) {
        const ThreadSums of_warp = RowSums<static_cast<int>(warp_size)>(nullptr)(bit_count(bits));
        u32 to = 0;
        if (lane() == 0) to = atomic_add(count, of_warp.all);
        to = shuffle(to, 0) + of_warp.before;
        for (; bits != 0; bits &= bits - 1, ++to) {
          if (to < capacity) candidates[to] = item(lowest_bit(bits));
        }
      });
      all = gather();
    }
    if (rank != 0) return;

    // Usually all is done but for sorting. Else it is taken once more.
    u32 next = 0;
    const u32 last = streams ? stream.length : length;
    if (streams && all >= wanted && all <= capacity) {
      next = last;
    } else {
      all = 0;
    }
    Item bound = last_item<typename Row::Form>();
    while (true) {
      for (; next < last && all <= capacity - nt; next += nt) {
        const u32 i = next + thread_index();
        Item item = last_item<typename Row::Form>();
        bool passes = false;
        if (i < last) {
          item = streams ? stream.item(i) : row.item(i);
          passes = !(bound < item);
        }
        const ThreadSums of_block = sums(passes ? 1 : 0);
        if (passes) candidates[all + of_block.before] = item;
        all += of_block.all;
      }
      sync_block();
      candidates.template sort<(2 * nt < capacity ? 2 * nt : capacity)>(all);
      if (next >= last) break;
      all = wanted;
      bound = candidates[wanted - 1];
    }
    candidates.write_first(row, k, wanted);
  }
};

}  // namespace bitune
