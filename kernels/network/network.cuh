#pragma once

// Networks on one thread's registers. All indices are compile-time constants once the loops are unrolled, so that the
// array stays in registers.
//
// The merge of stage k takes two ascending runs of 2^(k-1) keys to one of 2^k. Its first step, the flip, compares i with
// its mirror image i ^ (2^k - 1); the others compare i with i ^ 2^j, j = k-2 .. 0. Every comparator puts the smaller
// key at the smaller index, so that all runs ascend and padding at the end never moves.

#include "kernels/network/comparator.cuh"
#include "kernels/network/meta.cuh"

namespace bitune {

/// Step on register bit `bit`: compares r with r ^ 2^bit.
template <class Compare, int bit, int vt, class Item>
BITUNE_DEVICE void register_step(Item (&items)[vt]) {
  BITUNE_UNROLL
  for (int pair = 0; pair < vt / 2; ++pair) {
    const int r = insert_zero_bits(pair, bit, 1);
    Compare::apply(items[r], items[r | (1 << bit)], pair);
  }
}

/// Flip of the register bits [0, bits): compares r with r ^ (2^bits - 1).
template <class Compare, int bits, int vt, class Item>
BITUNE_DEVICE void register_flip(Item (&items)[vt]) {
  BITUNE_UNROLL
  for (int pair = 0; pair < vt / 2; ++pair) {
    const int r = insert_zero_bits(pair, bits - 1, 1);
    Compare::apply(items[r], items[r ^ ((1 << bits) - 1)], pair);
  }
}

/// Steps on register bits high-1, ..., low.
template <class Compare, int high, int low, int vt, class Item>
BITUNE_DEVICE void register_steps(Item (&items)[vt]) {
  if constexpr (high > low) {
    register_step<Compare, high - 1>(items);
    register_steps<Compare, high - 1, low>(items);
  }
}

/// One round of Batcher's odd-even merge sort: compares r with r + distance, within blocks of 2 * span.
template <class Compare, int span, int distance, int vt, class Item>
BITUNE_DEVICE void odd_even_round(Item (&items)[vt]) {
  constexpr int first = distance % span;
  BITUNE_UNROLL
  for (int r = 0; r < vt - distance; ++r) {
    const bool lower = r >= first && ((r - first) / distance) % 2 == 0;
    if (lower && r / (2 * span) == (r + distance) / (2 * span)) Compare::apply(items[r], items[r + distance], r);
  }
  if constexpr (distance > 1) odd_even_round<Compare, span, distance / 2>(items);
}

/// Sorts the registers ascending by Batcher's odd-even merge sort, which has fewer comparators than the bitonic one
/// (191 against 240 for 32 items). K. E. Batcher, "Sorting networks and their applications", AFIPS 1968.
template <class Compare, int span = 1, int vt, class Item>
BITUNE_DEVICE void register_sort(Item (&items)[vt]) {
  if constexpr (span < vt) {
    odd_even_round<Compare, span, span>(items);
    register_sort<Compare, 2 * span>(items);
  }
}

}  // namespace bitune
