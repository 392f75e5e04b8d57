#pragma once

// Segments of one length, one behind the other, are rows. A block that has such alone sorts them as row_sort does: lanes look for no segment,
// and keys are loaded and stored by vectors, where they lie so.

#include "kernels/network/comparator.cuh"
#include "kernels/network/meta.cuh"
#include "kernels/network/row_tile.cuh"
#include "kernels/segments/segments_layout.hpp"

namespace bitune {

/// How a block of nt threads sorts segments of at most `longest` keys: a power of two, at most layout::longest_equal_segment. The keys of a
/// segment are in registers of neighbouring threads, which have several segments at once where these are short: so they wait once.
template <class Codec, int nt, int longest_>
struct EqualSegments {
  static constexpr int longest = longest_;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr int vt = longest <= 16 ? 4 : longest <= 256 ? smaller_of(longest / 4, 32) : 16;
  static constexpr int threads = longest / vt;
  static constexpr int at_once = vt < 8 ? 2 : 1;
  static constexpr int vector = smaller_of(16 / static_cast<int>(sizeof(Raw)), 4);
  static constexpr int swaps = smaller_of(2, smaller_of(log2_of(threads), log2_of(vt / vector)));
  static constexpr u32 groups = nt / threads;
  static_assert(longest <= layout::longest_equal_segment(sizeof(Word)));
  // Where the ALU would be the limit, the multiplier does half of the maxima.
  using Tile = RegisterTile<Word, Comparator<sizeof(Word) == 4 ? 2 : 0>, threads, vt, log2_of(threads), false>;
  using Vectors = RowTile<Codec, NoPayload, threads, vt, vector, swaps>;
  using Single = RowTile<Codec, NoPayload, threads, vt, 1, smaller_of(log2_of(threads), log2_of(vt))>;

  /// Sorts `count` segments of `length` keys from `begin` on. All threads of the block call it.
  BITUNE_DEVICE static void sort(Raw* keys, const Raw* input, u64 begin, u32 length, u32 count) {
    Raw* const to = keys + begin;
    const Raw* const from = input + begin;
    // A vote: so the compiler knows that no warp goes both ways. Kept where it is asked: else all of the loop is compiled twice.
    const u32 vectors =
        u32{all_of_warp((reinterpret_cast<u64>(to) | reinterpret_cast<u64>(from) | length * sizeof(Raw)) % (vector * sizeof(Raw)) == 0)};
    for (u32 done = 0; done < count; done += groups * at_once) {
      const u32 first = done + thread_index() / threads;
      Word items[at_once][vt];
      BITUNE_UNROLL
      for (int i = 0; i < at_once; ++i) {
        // Threads without a segment sort the last one, and write nothing.
        const Raw* const segment = from + u64{minimum(first + i * groups, count - 1)} * length;
        if (kept(vectors) != 0) {
          Vectors::template load<false>(segment, length, true, items[i]);
        } else {
          Single::template load<false>(segment, length, false, items[i]);
        }
      }
      BITUNE_UNROLL
      for (int i = 0; i < at_once; ++i) {
        Tile::sort(nullptr, items[i]);
        const u32 own = first + i * groups;
        Raw* const segment = to + u64{own} * length;
        if (kept(vectors) != 0) {
          Vectors::swap_bits(items[i]);
          if (own < count) Vectors::template store<false>(segment, length, true, items[i]);
        } else {
          Single::swap_bits(items[i]);
          if (own < count) Single::template store<false>(segment, length, false, items[i]);
        }
      }
    }
  }
};

/// None are sorted so.
template <class Codec, int nt>
struct EqualSegments<Codec, nt, 0> {
  static constexpr int longest = 0;
};

}  // namespace bitune
