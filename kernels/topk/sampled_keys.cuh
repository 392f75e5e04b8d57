#pragma once

// Random keys of an array, in the registers of a cluster, and the minima of groups of them: what gives a bound without sorting them all.

#include "kernels/network/first_keys.cuh"
#include "kernels/topk/cluster_ranks.cuh"
#include "kernels/topk/minima_bound.cuh"
#include "kernels/topk/sample_places.cuh"

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
    const u32 rank = ranks == 1 ? 0 : cluster_rank();
    const SamplePlaces chosen;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      places[r] = length == 0 ? ~u32{0} : chosen((r * nt + thread_index()) * ranks + rank, count, length);
      words[r] = length == 0 ? Order::last : Order::encode(keys[places[r]]);
    }
  }

  /// The same of what streams; but a thread takes only one for 2^halved of its samples. Such a stream has keys.
  template <class Stream>
  BITUNE_DEVICE SampledKeys(const Stream& stream, u32 length, u32 halved) {
    const SamplePlaces chosen;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const bool is_taken = r < vt >> halved;
      const auto item = stream.item(is_taken ? chosen.of_power(number(r), log2_of(count) - halved, length) : 0);
      places[r] = is_taken ? Stream::Form::place(item) : ~u32{0};
      words[r] = is_taken ? Stream::Form::key(item) : Order::last;
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
    const u32 rank = ranks == 1 ? 0 : cluster_rank();
    PlacedWord<Word> least{words[0], places[0]};
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      const PlacedWord<Word> sample{words[r], places[r]};
      if (sample < least) least = sample;
    }
    reduce_minima<nt, static_cast<int>(own)>(of_threads, their_places, least);
    if constexpr (ranks > 1) wait_for_cluster();
    if (thread_index() < own) {  // a thread's own words
      const Minima<Word, groups> all = minima();
      const Minima<Word, groups> first{ranks == 1 ? all.words : shared_of_rank(all.words, 0),
                                       ranks == 1 ? all.places : shared_of_rank(all.places, 0)};
      first.set(rank * own + thread_index(), {of_threads[thread_index()], their_places[thread_index()]});
    }
    sync_ranks<ranks>();
  }

 private:
  BITUNE_DEVICE static u32 number(int r) { return (r * nt + thread_index()) * ranks + (ranks == 1 ? 0 : cluster_rank()); }
};

}  // namespace bitune
