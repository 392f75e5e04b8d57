#pragma once

// A tile in registers whose stages are a loop: the network of register_tile.cuh in a third of the code. Unrolled, the network of a long
// tile is 60 to 150 KB of instructions, which no multiprocessor's cache holds: warps wait for them more than for anything else.
//
// A pass over the registers is the same in all stages, but for where the items lie, which is computed, and for its first step.

#include "kernels/platform_rare.cuh"
#include "kernels/register_tile.cuh"

namespace bitune {

template <class Word, class Compare, int nt, int vt, int shuffle_steps, bool whole_block = true>
struct RolledTile : RegisterTile<Word, Compare, nt, vt, shuffle_steps, whole_block> {
  using Base = RegisterTile<Word, Compare, nt, vt, shuffle_steps, whole_block>;
  using Base::E;
  using Base::L;
  using Base::padded;
  static_assert(shuffle_steps >= 1 && nt >= 32);

  /// A layout that is known when compiling: offsets are immediates.
  template <int low_>
  struct FixedLayout {
    static constexpr int low = low_;
    BITUNE_DEVICE static constexpr u32 offset(int r) { return padded(u32(r) << low); }
    BITUNE_DEVICE FixedLayout again() const { return {}; }
  };

  /// Any layout whose register bits lie above those that padding looks at: registers are equally far apart.
  struct WideLayout {
    int low;
    u32 distance;

    BITUNE_DEVICE explicit WideLayout(int low_) : low(low_), distance(padded(u32{1} << low_)) {}
    BITUNE_DEVICE u32 offset(int r) const { return static_cast<u32>(r) * distance; }

    /// The same layout. The compiler would keep all addresses that it read from in registers, to write there.
    BITUNE_DEVICE WideLayout again() const { return WideLayout(recomputed(low)); }
  };

  /// Barrier between access in two layouts: those up to 5 keep a warp's items together.
  BITUNE_DEVICE static void barrier_between(int from, int to) {
    if (from <= 5 && to <= 5) {
      sync_warp();
    } else {
      sync_block();
    }
  }

  /// Where this thread's registers lie in shared memory: the upper half of them at those of the thread that `mirror` makes of it.
  template <class Place, class Layout>
  struct Sides {
    Layout layout;
    Place* lower;
    Place* upper;

    BITUNE_DEVICE Sides(Place* shared, Layout layout_, u32 mirror)
        : layout(layout_),
          lower(shared + padded(insert_zero_bits(Base::thread_in_group(), layout_.low, E))),
          upper(shared + padded(insert_zero_bits(Base::thread_in_group() ^ mirror, layout_.low, E))) {}
    BITUNE_DEVICE Place& operator[](int r) const {
      Place* const side = 2 * r < vt ? lower : upper;  // a name: GCC's sanitizer miscompiles an indexed conditional
      return side[layout.offset(r)];
    }
  };

  /// Steps on all register bits of a layout, from shared memory to shared memory. flip: the first one is a stage's flip, and
  /// registers whose top bit is set hold the items of the mirrored thread.
  template <class Layout>
  BITUNE_DEVICE static void pass(Word* shared, Word (&items)[vt], Layout layout, bool flip) {
    const u32 mirror = flip ? (u32{1} << layout.low) - 1 : 0;
    const Sides<const Word, Layout> from(shared, layout, mirror);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = from[r];
    if (flip) {
      register_flip<Compare, E>(items);
    } else {
      register_step<Compare, E - 1>(items);
    }
    register_steps<Compare, E - 1, 0>(items);
    const Sides<Word, Layout> to(shared, layout.again(), mirror);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) to[r] = items[r];
  }

  template <int candidate = shuffle_steps + 1>
  BITUNE_DEVICE static void pass_in(int low, Word* shared, Word (&items)[vt], bool flip) {
    if constexpr (candidate < Base::padding_shift) {
      if (low == candidate) {
        pass(shared, items, FixedLayout<candidate>{}, flip);
      } else {
        pass_in<candidate + 1>(low, shared, items, flip);
      }
    } else {
      pass(shared, items, WideLayout(low), flip);
    }
  }

  /// Steps on the index bits remaining-1 .. 0, in layout 0.
  template <int bit = shuffle_steps + E - 1>
  BITUNE_DEVICE static void last_steps(int remaining, Word (&items)[vt]) {
    if constexpr (bit >= 0) {
      if (bit < remaining) {
        if constexpr (bit >= E) {
          Base::template shuffle_step<bit - E>(items);
        } else {
          register_step<Compare, bit>(items);
        }
      }
      last_steps<bit - 1>(remaining, items);
    }
  }

  /// Does the stages first_stage .. L, the first of which is above E + shuffle_steps. Items in layout 0 before and after.
  BITUNE_DEVICE static void merge_stages(int first_stage, Word* shared, Word (&items)[vt]) {
    BITUNE_UNROLL_N(1)
    for (int stage = first_stage; stage <= L; ++stage) {
      Base::template write<0, false>(shared, items);
      int low = 0;
      int remaining = stage;
      BITUNE_UNROLL_N(1)
      do {  // one place in the code for all passes
        barrier_between(low, remaining - E);
        low = remaining - E;
        pass_in(low, shared, items, remaining == stage);
        remaining = low;
      } while (remaining > E + shuffle_steps);
      barrier_between(low, 0);
      Base::template read<0, false>(shared, items);
      last_steps(remaining, items);
    }
  }

  /// Sorts the tile: items in any order at first, in layout 0 afterwards.
  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt]) {
    register_sort<Compare>(items);
    Base::template merge_stages<E + 1, E + shuffle_steps>(shared, items);
    merge_stages(E + shuffle_steps + 1, shared, items);
  }
};

}  // namespace bitune
