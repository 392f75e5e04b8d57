#pragma once

// The first few of a row's words of 32 bits, by comparators of three. A lane sorts its words in short lists. Of two lists the first words are
// the smaller ones of the first and the last, the second and the last but one, and so on. These are bitonic, so that they are a sorted list
// again in a few steps. Then lanes do the same with each other. What cannot be among the first few is dropped at once, and never sorted.

#include "kernels/network/three_way.cuh"

namespace bitune {

/// vt words of each of nt neighbouring lanes. list: how many are found, 2^i * 3^j.
template <int nt, int vt, int list>
struct FirstWords {
  static constexpr int lists = (vt + list - 1) / list;
  static constexpr int all = lists * list;
  static constexpr u32 padding = ~u32{0};  ///< behind all words, or equal to the last one

  /// Fills the last list.
  BITUNE_DEVICE static void pad(u32 (&words)[all]) {
    BITUNE_UNROLL
    for (int r = vt; r < all; ++r) words[r] = padding;
  }

  /// Puts the lane's own first words in order in front.
  BITUNE_DEVICE static void find_own(u32 (&words)[all]) {
    sort_lists<0>(words);
    BITUNE_UNROLL
    for (int first = list; first < all; first += list) {
      keep_first(words, [&](int i) { return words[first + i]; });
    }
  }

  /// Makes all lanes' of each lane's own. All lanes of the warp call it.
  BITUNE_DEVICE static void find_all(u32 (&words)[all]) {
    BITUNE_UNROLL
    for (u32 width = 1; width < nt; width *= 2) {
      u32 own[list];
      BITUNE_UNROLL
      for (int i = 0; i < list; ++i) own[i] = words[i];
      u32 others[list];
      shuffle_xor_each(own, width, others);
      keep_first(words, [&](int i) { return others[i]; });
    }
  }

 private:
  /// other(i): of another sorted list.
  template <class Other>
  BITUNE_DEVICE static void keep_first(u32 (&words)[all], const Other& other) {
    BITUNE_UNROLL
    for (int i = 0; i < list; ++i) words[i] = minimum(words[i], other(list - 1 - i));
    sort_bitonic_by_threes<ItemRange<0, 1, list>, list>(words);
  }

  template <int i>
  BITUNE_DEVICE static void sort_lists(u32 (&words)[all]) {
    if constexpr (i < lists) {
      sort_by_threes<ItemRange<i * list, 1, list>>(words);
      sort_lists<i + 1>(words);
    }
  }
};

}  // namespace bitune
