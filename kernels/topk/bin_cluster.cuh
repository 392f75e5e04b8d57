#pragma once

// The first k keys of rows that the registers of a cluster of blocks hold (sm_90 on), where k is too large for minima to give a bound
// (select_cluster.cuh).
//
// Keys are counted in 256 bins, from the smallest to the largest, until a bound is found that not too many are behind
// (bound_narrowing.cuh). Where there are enough threads, it is the smallest key of each that is counted: as many of these as are wanted are
// up to the bound, and so are at least as many keys. What is not behind the bound goes to one block, which puts it in order by bins
// (binned_candidates.cuh). Nothing is sampled, and memory is read once.

#include "kernels/topk/alike_candidates.cuh"
#include "kernels/topk/bin_cluster_layout.hpp"
#include "kernels/topk/bound_narrowing.cuh"
#include "kernels/topk/cluster_keys.cuh"
#include "kernels/topk/sent_candidates.cuh"

namespace bitune {

/// A thread's smallest word, for which it counts.
template <class Word>
struct LeastWord {
  static constexpr int registers = 1;
  Word words[1];
  bool is_any;

  BITUNE_DEVICE u32 within(u32 /*from*/, u32 /*end*/) const { return is_any ? 1 : 0; }
};

/// The range of words in which a bound is. shared: two words of each warp. ends: two words of each block.
template <class Word, int nt, int ranks>
struct BoundRange {
  using Ranks = ClusterRanks<ranks>;
  using Ends = BlockEnds<Word, nt>;

  CountedBound<Word>* bound;
  Word* shared;
  Word* ends;

  /// From the smallest to the largest word that any thread has; without any the largest is before the smallest. is_first: behind
  /// arrive_at_cluster() alone. Barriers of the block, of all blocks, and of the block: what thread 0 has written before is there then.
  template <bool is_first>
  BITUNE_DEVICE void set(Word smallest, Word largest) const {
    Word both[2] = {smallest, largest};
    Ends::find(both, shared);
    if constexpr (is_first) wait_for_cluster();
    if (thread_index() < ranks) {
      Word* const to = Ranks::shared_of(ends, thread_index()) + 2 * Ranks::own();
      to[0] = both[0];
      to[1] = both[1];
    }
    Ranks::sync();
    if (thread_index() == 0) {
      BITUNE_UNROLL
      for (u32 i = 0; i < ranks; ++i) Ends::widen(both, ends[2 * i], ends[2 * i + 1]);
      bound->low = both[0];
      bound->high = both[1];
    }
    sync_block();
  }

  /// Narrows it until no more than `capacity` threads' words are up to it, or all that are in question equal each other. Between counts it is
  /// cut to the words that are in it: so few distinct ones are soon apart.
  template <int capacity>
  BITUNE_DEVICE void narrow(const LeastWord<Word>& least, u32* bins) const {
    const BoundNarrowing<Word, nt, ranks, capacity> narrowing{bins, bound};
    BITUNE_UNROLL_N(1)
    while (narrowing.is_among_words()) {
      narrowing.narrow_among_words(least);
      if (!narrowing.is_among_words()) return;
      const Word low = bound->low;
      const Word high = bound->high;
      const bool is_in = least.is_any && least.words[0] >= low && least.words[0] <= high;
      set<false>(is_in ? least.words[0] : high, is_in ? least.words[0] : low);
    }
  }
};

/// Writes the first k keys of each row of n keys (at most ranks * nt * vt), as select_rows does.
///
/// capacity: candidates that there is room for, at least k. counts_minima: where no fewer threads have keys than are wanted.
/// Grid: one cluster of `ranks` blocks a row. Dynamic shared memory: layout::bin_cluster.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int vt, int ranks, int capacity,
           bool counts_minima, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
bin_cluster(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
            typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
            const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
            typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u32 n,
            u32 k) {
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Form = typename Row::Form;
  using Item = typename Row::Item;
  using Word = typename Codec::Word;
  using Buffer = Candidates<Form, nt, capacity, shuffle_steps>;
  using Bound = CountedBound<Word>;
  constexpr layout::BinCluster parts = layout::bin_cluster(nt, ranks, capacity, sizeof(Item), sizeof(Word));
  static_assert(sizeof(Bound) <= layout::counted_bound_bytes());
  u8* const shared = shared_memory<u8>();
  const Buffer candidates{reinterpret_cast<Item*>(shared)};
  Bound* const bound = reinterpret_cast<Bound*>(shared + parts.bound);
  u32* const count = reinterpret_cast<u32*>(shared + parts.count);
  arrive_at_cluster();
  if (thread_index() == 0) *count = 0;

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  const u64 index = block_index() / ranks;
  const u32 length = counted_keys(lengths, length_bytes, index, n);
  {
    // Each key of a thread by itself: of keys in order the first k are those of k threads then.
    ClusterKeys<Codec, typename Row::Order, form, nt, vt, 1, ranks> keys;
    keys.load_each(keys_in + index * keys_in_stride, length);
    const auto& words = keys.encode();
    u32* const bins = reinterpret_cast<u32*>(shared + parts.narrowing);
    const BoundNarrowing<Word, nt, ranks, capacity> narrowing{bins, bound};
    const BoundRange<Word, nt, ranks> range{bound, reinterpret_cast<Word*>(shared), reinterpret_cast<Word*>(shared + parts.ends)};
    const auto send = [&] {
      send_candidates<ranks, capacity, Form>(words, words.not_behind(bound->high, bound->end, length), 0, candidates, count);
    };
    narrowing.clear();
    if (thread_index() == 0) *bound = {0, 0, minimum(k, length), length, 0, 0, length, length <= capacity};
    const bool of_minima = counts_minima && length > capacity && words.threads_with_any(length) >= k;
    const LeastWord<Word> least{{words.least()}, words.has_any(length)};
    Word largest = least.is_any ? least.words[0] : 0;
    if (!of_minima) largest = words.largest(length);
    range.template set<true>(least.words[0], largest);
    bool is_sent = false;
    if (of_minima) {
      const Word first = bound->low;
      range.template narrow<capacity / 4 * 3>(least, bins);  // so there is room for more keys of some threads
      const Word last = bound->high;
      if (bound->is_of_words()) {  // else many keys may equal the last minimum
        send();
        is_sent = *ClusterRanks<ranks>::shared_of(count, 0) <= capacity;
      }
      if (!is_sent) {
        sync_cluster();
        narrowing.clear();
        if (thread_index() == 0) {
          *count = 0;
          *bound = {first, last, k, length, 0, 0, length, false};
        }
        sync_block();
      }
    }
    if (!is_sent) {
      BITUNE_UNROLL_N(1)
      while (narrowing.is_among_words()) narrowing.narrow_among_words(words);
      narrowing.among_places(words, words.equal_to(bound->high));
      send();
    }
  }
  if (cluster_rank() != 0) return;
  const Row row(index, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                indices_out, indices_out_stride);
  using Binned = BinnedCandidates<Row, Buffer, nt, capacity, layout::most_comparisons_in_bins()>;
  const Binned binned(candidates, shared + parts.of_row);
  const u32 all = *count;
  const u32 wanted = bound->wanted;
  RowSums<nt> sums(reinterpret_cast<u32*>(shared + parts.sums));
  if (!binned.write_if_few_alike(row, k, all, wanted, sums) &&
      !AlikeCandidates<Row, Binned, nt, capacity>(binned, shared + parts.of_alike).write_if_spread(row, k, all, wanted, length, sums)) {
    candidates.template sort<(2 * nt < capacity ? 2 * nt : capacity)>(all);
    candidates.write_first(row, k, wanted);
  }
  sync_cluster();  // others may read this block's until then
}

}  // namespace bitune
