#pragma once

// Steps within a warp on registers: 64 places that one warp holds, two a lane, and exchanges by shuffles.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"

namespace bitune {

/// The keys of 64 neighbouring places: lane l holds place l in register 0 and place 32 + l in register 1.
template <class Word>
struct WarpPlaces {
  static constexpr int top_bit = 5;
  static constexpr int stages = top_bit + 1;
  Word words[2];

  /// Compares the places whose indices differ in bit `bit` first: with its mirror image if `flip`, else with i ^ 2^bit.
  BITUNE_DEVICE void step(int bit, bool flip) {
    if (bit == top_bit && !flip) {
      const Word low = words[0];
      words[0] = select_by(true, low, words[1]);
      words[1] = select_by(false, low, words[1]);
      return;
    }
    Word partners[2];
    shuffle_xor_each(words, flip ? (u32{1} << (bit == top_bit ? bit : bit + 1)) - 1 : u32{1} << bit, partners);
    if (bit == top_bit) {  // place l meets 63 - l, the other register of the mirrored lane
      words[0] = select_by(true, words[0], partners[1]);
      words[1] = select_by(false, words[1], partners[0]);
    } else {
      const bool lower = (lane() >> bit & 1) == 0;
      words[0] = select_by(lower, words[0], partners[0]);
      words[1] = select_by(lower, words[1], partners[1]);
    }
  }
};

/// Steps of stages first_stage .. last_stage within each 64 places of a span of nv, from their top bits within those on.
/// The first step of a stage that has its top bit there is its flip if `with_flip`. Ends with a barrier of the block.
template <class Places, int nt, u32 nv>
BITUNE_DEVICE void walk_in_warps(Places& places, int first_stage, int last_stage, bool with_flip) {
  using Warp = WarpPlaces<typename Places::Word>;
  for (u32 round = 0; round < nv; round += 2 * nt) {
    const u32 first = round + warp_index() * 2 * warp_size + lane();
    Warp warp{{places.get(first), places.get(first + warp_size)}};
    for (int stage = first_stage; stage <= last_stage; ++stage) {
      const int top = stage <= Warp::stages ? stage - 1 : Warp::top_bit;
      for (int bit = top; bit >= 0; --bit) warp.step(bit, with_flip && bit == stage - 1);
    }
    places.set(first, warp.words[0]);
    places.set(first + warp_size, warp.words[1]);
  }
  sync_block();
}

}  // namespace bitune
