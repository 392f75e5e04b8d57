#pragma once

// A tile in the registers of a group of threads: nt threads with vt items each. The group is a block or an aligned part of one. A part may
// be less than a warp, with its own slice of shared memory. Or it is several warps, which all run in step with the rest of the block.
//
// Layouts. An item's index in the tile has L = log2(nt * vt) bits; E = log2(vt) of them say which register holds it, the
// others which thread. In layout `low` the register bits are the index bits [low, low + E):
//
//     index bits   L-1 ......... low+E | low+E-1 ... low | low-1 ....... 0
//                  thread, upper bits  | register        | thread, lower bits
//
// Steps of the network on register bits need no communication. A move from one layout to another goes through shared memory: write, barrier,
// read. A thread writes to just those places that it read last. So one barrier a move is enough. Layouts with low <= 5 keep each warp's items
// in one contiguous range. So moves between them need only the warp's barrier.
//
// Steps on lane bits (index bits E .. E+4 in layout 0) may instead be done by shuffles: `shuffle_steps` of them at the
// end of each stage, before the register bits.
//
// Mirroring. The flip compares i with i ^ (2^k - 1). So the partner differs in all of the k low bits, lane bits included. In the layout in
// which a flip is done, registers whose top bit is set hold the items of the mirrored thread, whose lower bits are the complement. They are
// read from the mirrored addresses, and written back there. Two base addresses serve all registers. Every other offset is an immediate,
// because padding adds up over disjoint bit fields.

#include "kernels/network/codec.cuh"
#include "kernels/network/network.cuh"
#include "kernels/network/network_layout.hpp"

namespace bitune {

/// whole_block: the group is the block, so that no bits of the thread's index need to be masked.
template <class Word, class Compare, int nt, int vt, int shuffle_steps, bool whole_block = true>
struct RegisterTile {
  static constexpr int T = log2_of(nt);
  static constexpr int E = log2_of(vt);
  static constexpr int L = T + E;
  static constexpr u32 nv = u32{nt} * vt;
  static_assert(is_power_of_two(nt) && is_power_of_two(vt) && shuffle_steps <= 5 && shuffle_steps <= T);

  /// Index with one word of padding after every 128 bytes, so that strided access hits all banks.
  static constexpr int padding_shift = sizeof(Word) == 8 ? 4 : 5;
  BITUNE_DEVICE static constexpr u32 padded(u32 index) { return index + (index >> padding_shift); }
  static constexpr u32 shared_words = layout::padded_words(nv, sizeof(Word));

  /// Index of this thread in its group.
  BITUNE_DEVICE static u32 thread_in_group() { return whole_block ? thread_index() : thread_index() & (nt - 1); }

  template <int low>
  BITUNE_DEVICE static u32 thread_address(u32 thread) {
    return padded(insert_zero_bits(thread, low, E));
  }

  template <int low, bool mirrored>
  BITUNE_DEVICE static void write(Word* shared, const Word (&items)[vt]) {
    const u32 thread = thread_in_group();
    Word* base = shared + thread_address<low>(thread);
    Word* mirror = mirrored ? shared + thread_address<low>(thread ^ ((1u << low) - 1)) : base;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      Word* const side = 2 * r < vt ? base : mirror;  // a name: GCC's sanitizer miscompiles an indexed conditional
      side[padded(u32(r) << low)] = items[r];
    }
  }

  template <int low, bool mirrored>
  BITUNE_DEVICE static void read(const Word* shared, Word (&items)[vt]) {
    const u32 thread = thread_in_group();
    const Word* base = shared + thread_address<low>(thread);
    const Word* mirror = mirrored ? shared + thread_address<low>(thread ^ ((1u << low) - 1)) : base;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const Word* const side = 2 * r < vt ? base : mirror;
      items[r] = side[padded(u32(r) << low)];
    }
  }

  template <bool within_warp>
  BITUNE_DEVICE static void barrier() {
    if constexpr (within_warp || nt <= 32) {
      sync_warp();
    } else {
      sync_block();
    }
  }

  /// The "layout" of items that are in shared memory already, behind a barrier.
  static constexpr int in_shared = -1;

  template <int from, bool mirrored_from, int to, bool mirrored_to>
  BITUNE_DEVICE static void move(Word* shared, Word (&items)[vt]) {
    if constexpr (from != to || mirrored_from != mirrored_to) {
      if constexpr (from != in_shared) {
        write<from, mirrored_from>(shared, items);
        barrier<(from <= 5 && to <= 5)>();
      }
      read<to, mirrored_to>(shared, items);
    }
  }

  /// Step on the lane bit `bit` (index bit E + bit) in layout 0.
  template <int bit>
  BITUNE_DEVICE static void shuffle_step(Word (&items)[vt]) {
    const bool lower = (thread_in_group() >> bit & 1) == 0;
    Word partner[vt];
    shuffle_xor_each(items, u32{1} << bit, partner);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = select_by(lower, items[r], partner[r]);
  }

  template <int bits>
  BITUNE_DEVICE static void all_shuffle_steps(Word (&items)[vt]) {
    if constexpr (bits > 0) {
      shuffle_step<bits - 1>(items);
      all_shuffle_steps<bits - 1>(items);
    }
  }

  /// Flip of the index bits [0, E + bits) in layout 0: the partner is the mirrored register of the mirrored lane.
  template <int bits>
  BITUNE_DEVICE static void shuffle_flip(Word (&items)[vt]) {
    const bool lower = (thread_in_group() >> (bits - 1) & 1) == 0;
    Word partner[vt];
    shuffle_xor_each(items, (u32{1} << bits) - 1, partner);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = select_by(lower, items[r], partner[vt - 1 - r]);
  }

  /// Does the steps on the index bits remaining-1 .. 0 and leaves the items in layout 0. They come in layout `low`
  /// (mirrored or not); if `flip`, the first step is the flip of a stage, else all are plain.
  template <int low, bool mirrored, int remaining, bool flip>
  BITUNE_DEVICE static void merge(Word* shared, Word (&items)[vt]) {
    if constexpr (remaining > E + shuffle_steps) {
      constexpr int next = remaining - E;
      move<low, mirrored, next, flip>(shared, items);
      if constexpr (flip) {
        register_flip<Compare, E>(items);
        register_steps<Compare, E - 1, 0>(items);
      } else {
        register_steps<Compare, E, 0>(items);
      }
      merge<next, flip, next, false>(shared, items);
    } else {
      move<low, mirrored, 0, false>(shared, items);
      if constexpr (remaining > E) {
        constexpr int lanes = remaining - E;
        if constexpr (flip) {
          shuffle_flip<lanes>(items);
          all_shuffle_steps<lanes - 1>(items);
        } else {
          all_shuffle_steps<lanes>(items);
        }
        register_steps<Compare, E, 0>(items);
      } else if constexpr (flip) {
        register_flip<Compare, remaining>(items);
        register_steps<Compare, remaining - 1, 0>(items);
      } else {
        register_steps<Compare, remaining, 0>(items);
      }
    }
  }

  template <int stage, int last>
  BITUNE_DEVICE static void merge_stages(Word* shared, Word (&items)[vt]) {
    if constexpr (stage <= last) {
      merge<0, false, stage, true>(shared, items);
      merge_stages<stage + 1, last>(shared, items);
    }
  }

  /// Sorts the tile: items in any order at first, in layout 0 afterwards.
  BITUNE_DEVICE static void sort(Word* shared, Word (&items)[vt]) {
    register_sort<Compare>(items);
    merge_stages<E + 1, L>(shared, items);
  }

  /// From layout 0 to the striped order of tile_io.cuh, for a coalesced store.
  template <int vector>
  BITUNE_DEVICE static void to_striped(Word* shared, Word (&items)[vt]) {
    write<0, false>(shared, items);
    barrier<false>();
    const Word* base = shared + padded(thread_in_group() * vector);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = base[r % vector + padded(u32(r / vector) * (vector * nt))];
  }
};

}  // namespace bitune
