#pragma once

// Comparators: after compare_exchange(a, b), a <= b.

#include "kernels/platform.cuh"

namespace bitune {

/// A comparator on 32-bit words is a minimum and a maximum, both on the ALU pipe; a + b - min(a, b) is the maximum on the
/// multiplier's pipe, which is idle otherwise. `imad_quarters` of every four comparators take that form.
template <int imad_quarters>
struct Comparator {

  BITUNE_DEVICE static void apply(u32& a, u32& b, int index) {
    const u32 low = minimum(a, b);
    b = (index & 3) < imad_quarters ? maximum_by_imad(a, b, low) : maximum(a, b);
    a = low;
  }

  /// 64-bit words: one comparison and two selections (minimum and maximum would compare twice).
  BITUNE_DEVICE static void apply(u64& a, u64& b, int) {
    const bool swap = b < a;
    const u64 low = swap ? b : a;
    b = swap ? a : b;
    a = low;
  }
};

/// The smaller or the larger of two words, by a predicate that differs between threads.
template <class Word>
BITUNE_DEVICE Word select_by(bool smaller, Word a, Word b) {
  return (b < a) == smaller ? b : a;
}

}  // namespace bitune
