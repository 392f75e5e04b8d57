#pragma once

/// \file
/// Which lanes agree on the bits of a number, and words that blocks of one launch tell each other: a part of the platform
/// (platform.cuh) that few kernels need.

#include "kernels/platform/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// The lanes of the warp whose numbers have the same lower `bits` bits, by a vote on each; all lanes take part. by_imad: votes are
/// inverted on the multiplier's pipe (platform.cuh).
template <int bits, bool by_imad>
BITUNE_DEVICE u32 lanes_of_same_bits(u32 number) {
  u32 votes[bits];  // those of all lanes, once each lane's own is added
  for (int b = 0; b < bits; ++b) votes[b] = (number >> b & 1) << lane();
  warp_sum_each(votes);
  u32 same = all_lanes;
  for (int b = 0; b < bits; ++b) same &= (number >> b & 1) != 0 ? votes[b] : ~votes[b];
  return same;
}

/// Lanes of the warp before this one.
BITUNE_DEVICE u32 lanes_before() { return (u32{1} << lane()) - 1; }

/// Orders memory among the lanes of the warp, all of which take part in a vote next: on the emulated device that orders it, too.
BITUNE_DEVICE void order_before_vote() {}

/// The same number, which the compiler keeps in a register, and does not compute again where it is used.
BITUNE_DEVICE u32 kept(u32 number) { return number; }

/// Writes a word that other blocks wait for, or reads one: never half of it, and in no order with other words.
template <class Word>
BITUNE_DEVICE void publish(Word* to, Word word) {
  __atomic_store_n(to, word, __ATOMIC_RELAXED);
}
template <class Word>
BITUNE_DEVICE Word published(const Word* from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

#else

template <int bits, bool by_imad>
BITUNE_DEVICE u32 lanes_of_same_bits(u32 number) {
  u32 alike[bits + 1];
  const u32 minus_one = by_imad ? detail::minus_one() : 0;
  BITUNE_UNROLL
  for (int b = 0; b < bits; ++b) {
    // The same in C++ becomes seven instructions a bit instead of four: the condition is computed twice, and selected by.
#define BITUNE_ALIKE(invert)                                                                     \
  asm("{.reg .pred is_set; .reg .u32 bit; and.b32 bit, %1, %2; setp.ne.u32 is_set, bit, 0;"      \
      " vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set " invert ";}"                      \
      : "=r"(alike[b])                                                                           \
      : "r"(number), "r"(1 << b), "r"(minus_one))
    if constexpr (by_imad) {
      BITUNE_ALIKE("mad.lo.u32 %0, %0, %3, %3");
    } else {
      BITUNE_ALIKE("not.b32 %0, %0");
    }
#undef BITUNE_ALIKE
  }
  alike[bits] = all_lanes;
  u32 same = alike[0];
  BITUNE_UNROLL
  for (int b = 1; b < bits; b += 2) {  // two at once, which the compiler does not see behind conditions
    asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(same) : "r"(alike[b]), "r"(alike[b + 1]));
  }
  return same;
}

BITUNE_DEVICE u32 lanes_before() {
  u32 lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  return lanes;
}

BITUNE_DEVICE void order_before_vote() { sync_warp(); }

BITUNE_DEVICE u32 kept(u32 number) {
  asm("" : "+r"(number));
  return number;
}

BITUNE_DEVICE void publish(u32* to, u32 word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word) : "memory");
}
BITUNE_DEVICE void publish(u64* to, u64 word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(word) : "memory");
}
BITUNE_DEVICE u32 published(const u32* from) {
  u32 word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
BITUNE_DEVICE u64 published(const u64* from) {
  u64 word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}

#endif

}  // namespace bitune
