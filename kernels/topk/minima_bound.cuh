#pragma once

// A bound from the minima of groups of keys, where equal keys are told apart by their places.
//
// The k-th smallest minimum is not before the k-th key, whatever the keys are: k different keys are up to it. Of minima that equal it, as many
// as are wanted have the lowest places. So where a group's keys do not lie side by side, few keys are up to the bound: of equal keys, too.

#include "kernels/network/codec.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/topk/row_threads.cuh"
#include "kernels/topk/topk_layout.hpp"

namespace bitune {

/// A key, by the word that it is compared by, and its place.
template <class Word>
struct PlacedWord {
  Word word;
  u32 place;

  BITUNE_DEVICE friend bool operator<(PlacedWord a, PlacedWord b) { return a.word < b.word || (a.word == b.word && a.place < b.place); }
};

/// Where the minimum of a thread goes among those of all: every `groups`-th is of one group.
///
/// Groups of threads are shifted by one from warp to warp. Else what recurs at a distance of whole warps would be in one group.
template <int nt, int groups>
BITUNE_DEVICE u32 slot_of_thread() {
  constexpr u32 shifted = groups < static_cast<int>(warp_size) ? warp_size : groups;
  return groups < nt ? (thread_index() & ~u32{groups - 1}) | (thread_index() + thread_index() / shifted) % groups : thread_index();
}

/// The minima of a block's threads become those of `groups` groups. words, places: of nt minima, the threads' before, and the groups'
/// afterwards, behind another barrier. All threads of the block call it, with the minimum of each.
template <int nt, int groups, class Word>
BITUNE_DEVICE void reduce_minima(Word* words, u32* places, PlacedWord<Word> least) {
  const u32 of_thread = slot_of_thread<nt, groups>();
  words[of_thread] = least.word;
  places[of_thread] = least.place;
  if constexpr (groups < nt) {
    sync_block();
    if (thread_index() < groups) {
      least = {words[thread_index()], places[thread_index()]};
      BITUNE_UNROLL_N(8)
      for (u32 i = thread_index() + groups; i < nt; i += groups) {
        const PlacedWord<Word> other{words[i], places[i]};
        if (other < least) least = other;
      }
      words[thread_index()] = least.word;
      places[thread_index()] = least.place;
    }
  }
}

/// What is up to a bound: words below `word`, and those that equal it and stand before the place `end`. No word is below `least`.
template <class Word>
struct PlacedBound {
  Word word;
  Word least;
  u32 end;
};

/// The minima of a row in shared memory, `groups` of them; each group's place beside its word.
template <class Word, int groups>
struct Minima {
  static constexpr int vt = groups / static_cast<int>(warp_size);
  using Tile = RegisterTile<Word, Comparator<0>, static_cast<int>(warp_size), vt, 5, false>;
  static_assert(is_power_of_two(groups) && groups >= static_cast<int>(warp_size) && groups <= layout::minima_of_warp());

  Word* words;
  u32* places;

  BITUNE_DEVICE void set(u32 i, PlacedWord<Word> minimum) const {
    words[i] = minimum.word;
    places[i] = minimum.place;
  }

  /// The bound of the first k keys, 1 to `groups`. By a whole warp, behind a barrier.
  ///
  /// Where several minima equal the bound's word, their places are sorted as the words were, by the same instructions.
  BITUNE_DEVICE PlacedBound<Word> bound(u32 k) const {
    Word sorted[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) sorted[r] = words[r * warp_size + lane()];
    PlacedBound<Word> found{};
    u32 rank = k - 1;
    BITUNE_UNROLL_N(1)
    for (bool of_places = false;; of_places = true) {
      Tile::sort(nullptr, sorted);
      const Word at_rank = of_rank(sorted, rank);
      if (of_places) {
        found.end = static_cast<u32>(at_rank) + 1;
        return found;
      }
      found = {at_rank, shuffle(sorted[0], 0), 0};
      u32 sums[3] = {0, 0, 0};  // of minima below the word, of those that equal it, and of the places of these
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const Word minimum = words[r * warp_size + lane()];
        const u32 place = places[r * warp_size + lane()];
        sums[0] += minimum < at_rank ? 1 : 0;
        sums[1] += minimum == at_rank ? 1 : 0;
        sums[2] += minimum == at_rank ? place : 0;
        sorted[r] = minimum == at_rank ? place : ~Word{0};
      }
      warp_sum_each(sums);
      if (sums[1] == 1) {
        found.end = sums[2] + 1;
        return found;
      }
      rank -= sums[0];
    }
  }

  /// The same by words alone: the k-th and the first.
  BITUNE_DEVICE PlacedBound<Word> bound_of_words(u32 k) const {
    Word sorted[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) sorted[r] = words[r * warp_size + lane()];
    Tile::sort(nullptr, sorted);
    return {of_rank(sorted, k - 1), shuffle(sorted[0], 0), ~u32{0}};
  }

 private:
  template <class T>
  BITUNE_DEVICE static T of_rank(const T (&sorted)[vt], u32 rank) {
    T of_lane = sorted[0];  // by moves: of an array with an index there would be a copy in memory
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) move_if(rank % vt == u32(r), of_lane, sorted[r]);
    return shuffle(of_lane, rank / vt);
  }
};

}  // namespace bitune
