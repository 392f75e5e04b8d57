#pragma once

// Makes inputs and right results on the device, so that neither is made on the host and copied.
//
// A result is right by proof, not by who sorted: an order of the keys is asked of any sort, and count_misplaced shows that it is the stable
// order. Keys, values and indices are then gathered by it. All arrays have fewer than 2^32 elements.

#include "kernels/measure/made_keys.hpp"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Calls work(i) for this thread's part of [0, n). Any grid.
template <class Work>
BITUNE_DEVICE void for_each_of_thread(u64 n, const Work& work) {
  const u64 stride = u64{block_count()} * block_size();
  for (u64 i = u64{block_index()} * block_size() + thread_index(); i < n; i += stride) work(i);
}

/// Keys of one distribution.
template <class Word>
struct MadeKeys {
  Word* keys;
  u64 n;
  u64 seed;
  made::KeyRanks ranks;
  made::Ramp ramp;

  template <Distribution distribution>
  BITUNE_DEVICE void run() const {
    for_each_of_thread(n, [&](u64 i) { keys[i] = static_cast<Word>(made::key_at<distribution>(ranks, ramp, seed, n, i)); });
  }
};

/// Word: the unsigned type of a key's size.
template <class Word, u32 nt>
BITUNE_KERNEL(nt, 0)
make_keys(Word* keys, u64 n, u64 seed, u32 distribution, u32 is_signed, u64 infinity, u64 ramp_step, u32 ramp_is_fraction) {
  made::with_distribution(static_cast<Distribution>(distribution),
                          MadeKeys<Word>{keys,
                                         n,
                                         seed,
                                         {static_cast<int>(sizeof(Word)), is_signed != 0, infinity},
                                         {ramp_step, ramp_is_fraction != 0}});
}

/// Where each key belongs: unsigned integers that are sorted ascending, whatever the type and the order.
template <class Word, class Place, u32 nt>
BITUNE_KERNEL(nt, 0)
write_places(const Word* keys, Place* places, u64 n, u32 is_signed, u64 infinity, u32 is_descending, u32 equal_nans) {
  const made::KeyRanks ranks(sizeof(Word), is_signed != 0, infinity);
  for_each_of_thread(n, [&](u64 i) {
    const u64 place = ranks.place(keys[i], equal_nans != 0);
    places[i] = static_cast<Place>(is_descending != 0 ? ranks.all_bits() - place : place);
  });
}

/// The row of each element, for rows of row_length that follow each other.
template <u32 nt>
BITUNE_KERNEL(nt, 0)
write_rows(const u32* order, u32* rows, u64 n, u64 row_length) {
  for_each_of_thread(n, [&](u64 i) { rows[i] = static_cast<u32>(order[i] / row_length); });
}

/// Counts in `faults` what keeps `order` from being the stable order of each row: an index that is no index of the row, and neighbours
/// that are not in ascending order by (place, index). Where there are none, the indices of a row differ, so that they are all of its indices.
template <class Place, u32 nt>
BITUNE_KERNEL(nt, 0)
count_misplaced(const Place* places, const u32* order, u64 n, u64 row_length, u64* faults) {
  u64 found = 0;
  for_each_of_thread(n, [&](u64 i) {
    const u64 row_begin = i / row_length * row_length;
    const u64 index = order[i];
    if (index < row_begin || index >= row_begin + row_length) {
      ++found;
    } else if (i != row_begin) {
      const u64 before = order[i - 1];
      if (before >= n) return;  // counted there
      const bool ascends = places[before] != places[index] ? places[before] < places[index] : before < index;
      if (!ascends) ++found;
    }
  });
  if (found != 0) atomic_add(faults, found);
}

/// to[i] = from[order[i]], elements of so many words.
template <class Word, u32 words, u32 nt>
BITUNE_KERNEL(nt, 0)
gather_elements(const Word* from, const u32* order, Word* to, u64 n) {
  for_each_of_thread(n, [&](u64 i) {
    const u64 index = order[i];
    for (u32 word = 0; word < words; ++word) to[i * words + word] = from[index * words + word];
  });
}

/// The first k of each row of an order; n: of the result.
template <u32 nt>
BITUNE_KERNEL(nt, 0)
first_of_rows(const u32* order, u32* first, u64 n, u64 row_length, u64 k) {
  for_each_of_thread(n, [&](u64 i) { first[i] = order[i / k * row_length + i % k]; });
}

/// The indices of an order, counted from the beginning of each row.
template <class Index, u32 nt>
BITUNE_KERNEL(nt, 0)
write_indices(const u32* order, Index* indices, u64 n, u64 row_length) {
  for_each_of_thread(n, [&](u64 i) { indices[i] = static_cast<Index>(order[i] % row_length); });
}

}  // namespace bitune
