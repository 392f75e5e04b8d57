#pragma once

// Several steps of a stage in one pass over global memory: every thread holds 2^steps keys a column, whose indices
// differ in `steps` neighbouring index bits, in registers.

#include "kernels/network/codec.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/network.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// A column: the 2^steps places that share all index bits but [low_bits, low_bits + steps), times `vector` neighbours.
/// If `flip`, the first step is the flip of stage low_bits + steps, and the upper half of the places is mirrored: the
/// lower index bits are complemented, so that each place finds its partner in the same thread.
template <class Codec, class Payload, int steps, int vector, bool flip, class Compare>
struct Column {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  static constexpr int places = 1 << steps;

  u64 lower;   // index of the first neighbour of place 0
  u64 mirror;  // index of the first neighbour of place 0 as the upper half sees it
  Word items[vector][places];

  BITUNE_DEVICE void locate(u64 column, u32 low_bits) {
    lower = insert_zero_bits(column * vector, static_cast<int>(low_bits), steps);
    // The mirrored neighbours are contiguous too, in reverse order: their first one is the last one's image.
    mirror = flip ? (lower + (vector - 1)) ^ ((u64{1} << low_bits) - 1) : lower;
  }

  BITUNE_DEVICE u64 place(int r, u32 low_bits) const {
    return (flip && 2 * r >= places ? mirror : lower) + (u64(r) << low_bits);
  }

  /// Register slot of neighbour v at place r: reversed where mirrored.
  BITUNE_DEVICE static constexpr int neighbour(int r, int v) {
    return flip && 2 * r >= places ? vector - 1 - v : v;
  }

  BITUNE_DEVICE void load(const Raw* keys, u64 n, u32 low_bits, bool vectors) {
    BITUNE_UNROLL
    for (int r = 0; r < places; ++r) {
      const u64 i = place(r, low_bits);
      Raw raw[vector];
      if (vectors && i + vector <= n) {
        load_vector<Raw, vector>(keys + i, raw);
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) items[neighbour(r, v)][r] = Codec::encode(raw[v]);
      } else {
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) {
          items[neighbour(r, v)][r] = i + v < n ? Codec::encode(keys[i + v]) : Codec::padding;
        }
      }
    }
  }

  BITUNE_DEVICE void merge() {
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) {
      if constexpr (flip) {
        register_flip<Compare, steps>(items[v]);
        register_steps<Compare, steps - 1, 0>(items[v]);
      } else {
        register_steps<Compare, steps, 0>(items[v]);
      }
    }
  }

  BITUNE_DEVICE void store(Raw* keys, u64 n, u32 low_bits, bool vectors) const {
    BITUNE_UNROLL
    for (int r = 0; r < places; ++r) {
      const u64 i = place(r, low_bits);
      if (vectors && i + vector <= n) {
        Raw raw[vector];
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) raw[v] = Codec::decode(items[neighbour(r, v)][r]);
        store_vector<Raw, vector>(keys + i, raw);
      } else {
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (i + v < n) keys[i + v] = Codec::decode(items[neighbour(r, v)][r]);
        }
      }
    }
  }
};

/// Does `steps` steps of a stage, on the index bits low_bits + steps - 1 .. low_bits. `columns` counts those with a place
/// below n; vector must divide 2^low_bits. The blocks_per_row blocks of a row stride over its columns, `unroll` of them in
/// flight a thread.
template <class Codec, class Payload, int nt, int steps, int vector, int unroll, bool flip, int imad_quarters>
BITUNE_KERNEL(nt, 1)
strided_merge(typename Codec::Raw* keys, u64 n, u32 low_bits, u64 columns, u64 row_stride, u32 blocks_per_row) {
  const RowOfBlock place(blocks_per_row);
  keys += place.row * row_stride;
  const bool vectors = StripedTile<Codec, Payload, nt, vector, vector>::aligned(keys);
  const u64 stride = u64{blocks_per_row} * nt;
  u64 column = u64{place.block} * nt + thread_index();
  Column<Codec, Payload, steps, vector, flip, Comparator<imad_quarters>> columns_in_flight[unroll];
  begin_dependent_launch();
  for (; column < columns; column += stride * unroll) {
    BITUNE_UNROLL
    for (int u = 0; u < unroll; ++u) {
      // Past the end a column has no place below n: it loads padding and stores nothing.
      columns_in_flight[u].locate(column + u * stride, low_bits);
      columns_in_flight[u].load(keys, n, low_bits, vectors);
    }
    BITUNE_UNROLL
    for (int u = 0; u < unroll; ++u) {
      columns_in_flight[u].merge();
      columns_in_flight[u].store(keys, n, low_bits, vectors);
    }
  }
}

}  // namespace bitune
