#pragma once

// Comparators: after compare_exchange(a, b), a <= b.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// A comparator on 32-bit words is a minimum and a maximum. On 64-bit words it is one comparison, of two instructions, two selections and
/// two exclusive ors. A maximum would be compiled to a comparison of its own, however it is written. All of these go through the ALU pipe.
/// `imad_quarters` of every four comparators get their maximum as a + b - min(a, b) from the multiplier's pipe, which is idle otherwise.
template <int imad_quarters>
struct Comparator {
  BITUNE_DEVICE static void apply(u32& a, u32& b, int index) {
    const u32 low = minimum(a, b);
    b = by_imad(index) ? maximum_by_imad(a, b, low) : maximum(a, b);
    a = low;
  }

  BITUNE_DEVICE static void apply(u64& a, u64& b, int index) {
    const u64 low = minimum(a, b);
    b = by_imad(index) ? maximum_by_imad(a, b, low) : a ^ b ^ low;
    a = low;
  }

  BITUNE_DEVICE static constexpr bool by_imad(int index) { return (index & 3) < imad_quarters; }
};

/// The smaller or the larger of two words, by a predicate that differs between threads.
template <class Word>
BITUNE_DEVICE Word select_by(bool smaller, Word a, Word b) {
  move_if((b < a) == smaller, a, b);
  return a;
}

}  // namespace bitune
