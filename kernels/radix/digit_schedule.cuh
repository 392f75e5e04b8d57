#pragma once

// Which digits are sorted by. n keys with n leading bits or so differ in these already, if they are random, or as good as random there.
// So a few digits put nearly all keys in their places. What is left are groups of a few keys with the same leading digits, which
// mend_groups.cuh puts in order. The digits that all keys share are left out, too.

#include "kernels/network/launch.cuh"
#include "kernels/network/random_place.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/radix/schedule_layout.hpp"

namespace bitune {

/// Digits to sort by, from the lowest on.
struct DigitList {
  u32 passes;
  u32 digits[layout::most_scheduled_passes()];
};

/// What the passes do, in global memory. Each pass of `leading` or `all` goes from one of two arrays to the other.
struct DigitSchedule {
  DigitList leading;  ///< the first one goes from the input to the array beside the output
  DigitList all;      ///< where sorting by the leading digits fails: an even number of passes, from the output to the output
  u32 prefix_begin;   ///< bits below the leading digits
  u32 is_complete;    ///< not 0: the leading digits are all in which keys differ
};
static_assert(sizeof(DigitSchedule) == layout::schedule_bytes());

/// What blocks tell each other about the passes, in global memory: all 0 at first.
struct ScheduleCounters {
  struct OfList {
    u32 tickets;
    u32 done[layout::most_scheduled_passes()];  ///< tiles of each pass
  };
  OfList leading;
  OfList all;
  u32 failed;  ///< not 0: a group has too many keys that are not in order
};
static_assert(sizeof(ScheduleCounters) == 4 * layout::schedule_counters());

/// How alike keys are in each digit, in shared memory.
template <class Digit>
struct DigitLikeness {
  float* chances;  ///< that two keys have the same digit
  u32* shared;     ///< 1: all keys have the same digit

  /// By whole warps, each of which takes some digits. counts: [passes][values].
  template <int nt, class Counter>
  BITUNE_DEVICE void measure(const Counter* counts, u64 n) const {
    for (u32 pass = warp_index(); pass < Digit::passes; pass += nt / warp_size) {
      float squares[1] = {0};
      bool is_mixed = true;
      for (u32 i = lane(); i < Digit::values; i += warp_size) {
        const Counter count = counts[pass * Digit::values + i];
        const float share = static_cast<float>(count) / static_cast<float>(n);
        squares[0] += share * share;
        is_mixed &= count != n;
      }
      warp_sum_each(squares);
      const bool all_mixed = all_of_warp(is_mixed);
      if (lane() == 0) {
        chances[pass] = squares[0];
        shared[pass] = all_mixed ? 0 : 1;
      }
    }
  }

  /// The next digit below `pass` in which keys differ; passes if there is none.
  BITUNE_DEVICE u32 next_below(u32 pass) const {
    while (pass-- > 0) {
      if (shared[pass] == 0) return pass;
    }
    return Digit::passes;
  }

  /// The digit from which on keys are expected to share all digits with at most `load` others; passes if they differ in none. That digits do not
  /// depend on each other is only a guess.
  BITUNE_DEVICE u32 lowest_needed(u64 n, float load) const {
    float others = static_cast<float>(n);
    u32 lowest = Digit::passes;
    for (u32 pass = next_below(Digit::passes); pass != Digit::passes && others > load; pass = next_below(pass)) {
      others *= chances[pass];
      lowest = pass;
    }
    return lowest;
  }
};

/// A sample of the keys, in shared memory, that shows where a guess is wrong: where many keys share their leading digits and are not equal.
template <class Word>
struct KeySample {
  static constexpr u32 keys = layout::sampled_keys();
  static constexpr u32 places = layout::sample_places();

  Word* words;
  u32* table;  ///< by a hash of the leading digits: in the lower half one of the keys that go there, in the upper half their number

  BITUNE_DEVICE static u32 place_of(Word prefix) {
    const u64 mixed = u64{prefix} * 0x9e3779b97f4a7c15u;
    return static_cast<u32>(mixed >> 40) % places;
  }

  /// Whether this thread finds two keys of the sample that differ only below bit `begin`. By all nt threads. A few such pairs are
  /// missed.
  template <int nt>
  BITUNE_DEVICE bool finds_likeness(u32 begin) const {
    for (u32 i = thread_index(); i < places; i += nt) table[i] = 0;
    sync_block();  // else the choice is wrong, which costs time
    for (u32 i = thread_index(); i < keys; i += nt) {
      u32* const place = table + place_of(words[i] >> begin);
      if (atomic_add(place, u32{1} << 16) >> 16 == 0) atomic_add(place, i);
    }
    sync_block();  // else the choice is wrong, which costs time
    bool found = false;
    for (u32 i = thread_index(); i < keys; i += nt) {
      const Word other = words[table[place_of(words[i] >> begin)] & 0xffff];
      found |= other != words[i] && other >> begin == words[i] >> begin;
    }
    return found;
  }
};

/// Decides by which digits the n keys at `input` are sorted. Codec: a TieCodec, where equal keys may differ in bits. counts: what
/// count_digits found. load_percent: with how many others, in percent, a key may be expected to share its leading digits; less than with n. One block.
/// Dynamic shared memory: layout::choose_digits_bytes.
template <class Codec, class Payload, int nt, int bits, int counter_bytes>
BITUNE_KERNEL(nt, 1)
choose_digits(DigitSchedule* schedule, const typename Codec::Raw* input, u64 n, const typename Storage<counter_bytes>::Word* counts,
              u32 load_percent) {
  using Word = typename Codec::Word;
  using Digit = Digits<Codec, bits>;
  using Sample = KeySample<Word>;
  static_assert(Digit::passes < layout::most_scheduled_passes());
  const Sample sample{shared_memory<Word>(), reinterpret_cast<u32*>(shared_memory<Word>() + Sample::keys)};
  u32* const behind = sample.table + Sample::places;
  const DigitLikeness<Digit> likeness{reinterpret_cast<float*>(behind), behind + layout::most_scheduled_passes()};
  begin_dependent_launch();
  const float share = static_cast<float>(n) / Sample::keys;
  for (u32 i = thread_index(); i < Sample::keys; i += nt) {
    const u64 first = static_cast<u64>(static_cast<float>(i) * share);
    sample.words[i] = Codec::encode(input[minimum<u64>(first + random_place(i, static_cast<u64>(share) + 1), n - 1)]);
  }
  likeness.template measure<nt>(counts, n);
  sync_block();

  u32 lowest = likeness.lowest_needed(n, static_cast<float>(load_percent) / 100);
  u32 next = lowest == Digit::passes ? lowest : likeness.next_below(lowest);
  u32* const found = likeness.shared + Digit::passes;  // of no digit
  while (next != Digit::passes) {
    if (thread_index() == 0) *found = 0;
    if (sample.template finds_likeness<nt>(lowest * bits)) atomic_add(found, 1);
    sync_block();  // else the choice is wrong, which costs time
    const bool goes_on = *found != 0;
    sync_block();  // all have seen it before it is cleared
    if (!goes_on) break;
    lowest = next;
    next = likeness.next_below(lowest);
  }

  if (thread_index() != 0) return;
  u32 all = 0;
  u32 leading = 0;
  for (u32 pass = 0; pass < Digit::passes; ++pass) {
    if (likeness.shared[pass] != 0) continue;
    schedule->all.digits[all++] = pass;
    if (pass >= lowest) schedule->leading.digits[leading++] = pass;
  }
  if (all % 2 == 1) {  // the last one once more, which leaves all in order
    schedule->all.digits[all] = schedule->all.digits[all - 1];
    ++all;
  }
  if (leading == 0) schedule->leading.digits[leading++] = 0;  // keys that are all equal are copied
  schedule->all.passes = all;
  schedule->leading.passes = leading;
  schedule->prefix_begin = lowest * bits;
  schedule->is_complete = next == Digit::passes ? 1 : 0;
}

}  // namespace bitune
