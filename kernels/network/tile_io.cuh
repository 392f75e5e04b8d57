#pragma once

// Tiles between global memory and registers: a group of nt threads (a block or an aligned part of it), vt items a thread,
// coalesced, in vectors where alignment allows. A tile's tail beyond `count` is filled with padding when loaded and left out when stored.

#include "kernels/network/codec.cuh"
#include "kernels/network/meta.cuh"

namespace bitune {

/// Striped order: `vector` neighbouring items a thread, then the next thread's, then the next round.
/// Register r of thread t holds the item at (r % vector) + t * vector + (r / vector) * vector * nt.
template <class Codec, class Payload, int nt, int vt, int vector>
struct StripedTile {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  static constexpr u32 nv = u32{nt} * vt;
  static_assert(vt % vector == 0 && vector * sizeof(Raw) <= 16);

  BITUNE_DEVICE static bool aligned(const Raw* tile) {
    return reinterpret_cast<u64>(tile) % (vector * sizeof(Raw)) == 0;
  }

  /// `readonly`: whole tiles come through the read-only path. A thread that writes the tile later does so after a barrier
  /// behind all of its reads, and nothing reads it again in the same kernel.
  template <bool readonly = false>
  BITUNE_DEVICE static void load(const Raw* tile, u32 count, Word (&items)[vt]) {
    const u32 first = (thread_index() & (nt - 1)) * vector;
    if (count == nv && aligned(tile)) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        Raw raw[vector];
        if constexpr (readonly) {
          load_vector_readonly<Raw, vector>(tile + first + r * nt, raw);
        } else {
          load_vector<Raw, vector>(tile + first + r * nt, raw);
        }
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) items[r + v] = Codec::encode(raw[v]);
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = first + (r / vector) * vector * nt + r % vector;
        items[r] = i < count ? Codec::encode(tile[i]) : Codec::padding;
      }
    }
  }

  BITUNE_DEVICE static void store(Raw* tile, u32 count, const Word (&items)[vt]) {
    const u32 first = (thread_index() & (nt - 1)) * vector;
    if (count == nv && aligned(tile)) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        Raw raw[vector];
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) raw[v] = Codec::decode(items[r + v]);
        store_vector<Raw, vector>(tile + first + r * nt, raw);
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = first + (r / vector) * vector * nt + r % vector;
        if (i < count) tile[i] = Codec::decode(items[r]);
      }
    }
  }
};

/// What every kernel that may be launched as a dependent one begins with: its own launch costs no gap then, and the next
/// one's neither.
BITUNE_DEVICE void begin_dependent_launch() {
  allow_next_launch();
  wait_for_previous_launch();
}

/// Which row a block works on, and which of that row's blocks it is, where each row takes the same number of blocks.
struct RowOfBlock {
  u64 row;
  u32 block;

  BITUNE_DEVICE explicit RowOfBlock(u32 blocks_per_row) : row(0), block(block_index()) {
    if (blocks_per_row != block_count()) {  // more than one row: spare single arrays the division
      row = block_index() / blocks_per_row;
      block = block_index() % blocks_per_row;
    }
  }
};

/// Number of items of the tile of `nv` items at `begin` that exist in an array of n. Precondition: begin < n.
BITUNE_DEVICE u32 items_in_tile(u64 begin, u64 n, u32 nv) {
  return n - begin < nv ? static_cast<u32>(n - begin) : nv;
}

}  // namespace bitune
