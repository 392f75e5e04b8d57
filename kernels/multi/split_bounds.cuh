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

  BITUNE_DEVICE bool is_above(u64 other_word, u64 other_index) const {
    return word > other_word || (word == other_word && index > other_index);
  }
};

/// How a rank's keys are split, in global memory.
struct Split {
  static constexpr u32 most = layout::split_classes(layout::most_split_parts());

  SplitBound bounds[most - 1];  ///< the first key of each class but the first one. Before choose_bounds: `index` is which sample it is, plus 1
  u64 begins[most + 1];         ///< of each class's room in the arrays, and the end of the last one
};
static_assert(sizeof(Split) == 8 * layout::split_words());

/// The class of a key: how many of the first `classes - 1` bounds are not above it.
template <u32 classes>
BITUNE_DEVICE u32 class_of(const SplitBound* bounds, u64 word, u64 index) {
  u32 found = 0;
  BITUNE_UNROLL
  for (u32 i = 0; i + 1 < classes; ++i) found += bounds[i].is_above(word, index) ? 0 : 1;
  return found;
}

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

/// Chooses the bounds from the samples of all ranks, in order, and room for each class by the `count` samples of this rank. A bound at sample 0
/// is below all keys, one behind the last sample above all. room: items of the arrays. One block of nt threads.
template <class Order, class Payload, int parts, int nt>
BITUNE_KERNEL(nt, 0)
choose_bounds(Split* split, const typename Order::Word* sorted, const u64* sorted_indices, u64 samples, const typename Order::Word* words,
              const u64* indices, u32 count, u64 spacing, u64 room) {
  constexpr u32 classes = layout::split_classes(parts);
  u32* const counts = shared_memory<u32>();
  if (thread_index() < classes) counts[thread_index()] = 0;
  if (thread_index() + 1 < classes) {
    SplitBound& bound = split->bounds[thread_index()];
    const u64 sample = bound.index;
    if (sample == 0) {
      bound = {0, 0};
    } else if (sample > samples) {
      bound = {~u64{0}, ~u64{0}};
    } else {
      bound = {sorted[sample - 1], sorted_indices[sample - 1]};
    }
  }
  sync_block();
  for (u32 i = thread_index(); i < count; i += nt) atomic_add(counts + class_of<classes>(split->bounds, words[i], indices[i]), 1);
  sync_block();
  if (thread_index() != 0) return;
  u64 begin = 0;
  for (u32 i = 0; i < classes; ++i) {
    constexpr u64 unit = layout::split_class_items();
    const float likely = static_cast<float>(counts[i]);
    const u64 spare = static_cast<u64>(layout::spare_samples_of_root() * approximate_square_root(likely)) + layout::spare_samples();
    split->begins[i] = begin;
    begin = minimum(room, begin + ((counts[i] + spare) * spacing + unit - 1) / unit * unit);
  }
  split->begins[classes] = begin;
}

}  // namespace bitune
