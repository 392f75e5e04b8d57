#pragma once

// Minima of groups of keys are put in order by counting, for each of them, how many are below it. All threads of a block do that together, so
// that none waits while one warp sorts.

#include "kernels/platform/platform.cuh"
#include "kernels/topk/topk_layout.hpp"

namespace bitune {

/// `groups` minima in shared memory, and as many words of 0 beside them, by a block of nt threads.
template <class Word, int nt, int groups>
struct RankedMinima {
  static constexpr u32 vector = 16 / sizeof(Word);
  /// Threads that count for a minimum together, each some of the others.
  static constexpr u32 shares = static_cast<u32>(layout::ranking_shares(nt, groups, vector));
  /// Of more groups a warp's sort takes as long.
  static constexpr bool is_for = groups >= 16 && groups <= 256 && groups <= nt && nt >= 128;

  const Word* minima;
  Word* ranked;

  /// Before anything is written to them; a barrier of the block follows.
  BITUNE_DEVICE void clear() const {
    if (thread_index() < groups) ranked[thread_index()] = 0;
  }

  /// Writes each minimum to the place of its rank. Equal ones have one rank, and the places behind that stay 0.
  BITUNE_DEVICE void rank() const {
    if (warp_index() * warp_size >= groups * shares) return;
    const u32 share = thread_index() % shares;
    const u32 at = minimum(thread_index() / shares, u32{groups - 1});
    const Word own = minima[at];
    u32 below = 0;  // counted downwards
    BITUNE_UNROLL
    for (u32 i = 0; i < groups; i += shares * vector) {
      Word others[vector];
      load_vector(minima + i + share * vector, others);
      BITUNE_UNROLL
      for (u32 v = 0; v < vector; ++v) take_if_less(below, others[v], own);
    }
    below = 0 - below;
    BITUNE_UNROLL
    for (u32 distance = 1; distance < shares; distance *= 2) below += shuffle_xor(below, distance);
    if (share == 0) ranked[below] = own;  // equal ones write the same
  }

  /// The k-th smallest, of 1 to `groups`. Behind a barrier of the block, by whole warps.
  BITUNE_DEVICE Word of_rank(u32 k) const {
    Word word = ranked[k - 1];
    if (word != 0) return word;
    // It equals the one before it, or is 0.
    for (u32 i = lane(); i < k; i += warp_size) word = maximum(word, ranked[i]);
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) word = maximum(word, shuffle_xor(word, distance));
    return word;
  }
};

}  // namespace bitune
