#pragma once

// Keys of an array that lies in parts on several devices, and what shows that they were sorted: made and looked at where they are.

#include "kernels/measure/make_images.cuh"

namespace bitune {

/// The n keys from place `first` on of an array of `whole` keys.
template <class Word>
struct MadePart {
  Word* keys;
  u64 n;
  u64 first;
  u64 whole;
  u64 seed;
  made::KeyRanks ranks;
  made::Ramp ramp;

  template <Distribution distribution>
  BITUNE_DEVICE void run() const {
    for_each_of_thread(n, [&](u64 i) { keys[i] = static_cast<Word>(made::key_at<distribution>(ranks, ramp, seed, whole, first + i)); });
  }
};

/// Word: the unsigned type of a key's size. Any grid of blocks of at most nt threads.
template <class Word, u32 nt>
BITUNE_KERNEL(nt, 0)
make_part(Word* keys, u64 n, u64 first, u64 whole, u64 seed, u32 distribution, u32 is_signed, u64 infinity, u64 ramp_step,
          u32 ramp_is_fraction) {
  made::with_distribution(static_cast<Distribution>(distribution),
                          MadePart<Word>{keys,
                                         n,
                                         first,
                                         whole,
                                         seed,
                                         {static_cast<int>(sizeof(Word)), is_signed != 0, infinity},
                                         {ramp_step, ramp_is_fraction != 0}});
}

/// Adds to facts[0] how many keys come before the one that they stand behind, by ascending order. Adds to facts[1] and facts[2] sums over
/// all keys, with their values if there are any, that are the same in any order; and for other keys or values they are not, but by chance.
template <class Word, class Value, u32 nt>
BITUNE_KERNEL(nt, 0)
look_at_part(const Word* keys, const Value* values, u64 n, u64* facts, u32 is_signed, u64 infinity) {
  const made::KeyRanks ranks(sizeof(Word), is_signed != 0, infinity);
  u64 unordered = 0;
  u64 sum = 0;
  u64 other_sum = 0;
  for_each_of_thread(n, [&](u64 i) {
    const u64 key = keys[i];
    if (i != 0 && ranks.place(keys[i - 1], values != nullptr) > ranks.place(key, values != nullptr)) ++unordered;
    const u64 value = values != nullptr ? u64{values[i]} : 0;
    sum += made::random_bits(made::random_bits(1, key), value);
    other_sum += made::random_bits(made::random_bits(2, key), value);
  });
  if (unordered != 0) atomic_add(facts, unordered);
  atomic_add(facts + 1, sum);
  atomic_add(facts + 2, other_sum);
}

}  // namespace bitune
