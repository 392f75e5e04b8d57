#pragma once

// Where an array that lies on several devices is cut, to within some keys: found from a sample of all of them. Keys are told apart by where
// they stand, too: equal keys are in the order of their indices in the whole. So no key is too frequent to be cut.

#include "kernels/multi/split_layout.hpp"
#include "kernels/network/random_place.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// A key's place in the order of all.
struct SplitBound {
  u64 word;
  u64 index;
};

/// Bounds as threads compare by them: the first key of each class but the first one.
template <class Order, u32 classes>
struct ClassBounds {
  using Word = typename Order::Word;
  Word words[classes - 1];
  i32 equal_from[classes - 1];  ///< which of the thread's items that equal the bound's key are not below it: from this one on

  /// index: of the thread's first item, in the whole. step: from one item to the next.
  BITUNE_DEVICE void load(const SplitBound* bounds, u64 index, u32 step) {
    BITUNE_UNROLL
    for (u32 i = 0; i + 1 < classes; ++i) {
      constexpr u64 far = 1 << 24;  // beyond the items of a thread
      words[i] = static_cast<Word>(bounds[i].word);
      equal_from[i] = bounds[i].index <= index ? 0 : static_cast<i32>((minimum<u64>(bounds[i].index - index, far) + step - 1) / step);
    }
  }

  /// The class of item r of the thread: how many of the bounds are not above it.
  BITUNE_DEVICE u32 class_of(Word word, i32 r) const {
    u32 found = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i + 1 < classes; ++i) found += word > words[i] || (word == words[i] && r >= equal_from[i]) ? 1 : 0;
    return found;
  }
};

/// Takes `count` samples of a rank's keys: one at random of each `spacing` keys. first: the index of the rank's first key in the whole. Any grid
/// of blocks of nt threads.
template <class Order, class Payload, int nt>
BITUNE_KERNEL(nt, 0)
sample_keys(typename Order::Word* words, u64* indices, const typename Order::Raw* keys, u32 count, u64 spacing, u64 first) {
  for (u32 i = block_index() * nt + thread_index(); i < count; i += block_count() * nt) {
    const u64 place = u64{i} * spacing + random_place(i, spacing);
    words[i] = Order::encode(keys[place]);
    indices[i] = first + place;
  }
}

/// Chooses bounds from the samples of all ranks, in order. chosen: which sample, counted from 1: 0 is below all keys, one behind the last sample
/// above all. One block of nt threads, as many as there are bounds or more.
template <class Order, class Payload, int nt>
BITUNE_KERNEL(nt, 0)
choose_bounds(SplitBound* bounds, const typename Order::Word* sorted, const u64* indices, u64 samples, const u64* chosen, u32 count) {
  if (thread_index() >= count) return;
  const u64 sample = chosen[thread_index()];
  SplitBound bound{0, 0};
  if (sample > samples) {
    bound = {~u64{0}, ~u64{0}};
  } else if (sample != 0) {
    bound = {sorted[sample - 1], indices[sample - 1]};
  }
  bounds[thread_index()] = bound;
}

}  // namespace bitune
