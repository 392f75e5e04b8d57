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

  /// Where in the tile the thread's register 0 is.
  BITUNE_DEVICE static u32 first_place() { return (thread_index() & (nt - 1)) * vector; }

  /// How far from there its register r is.
  BITUNE_DEVICE static constexpr u32 place_from_first(int r) { return (r / vector) * vector * nt + r % vector; }

  /// `readonly`: whole tiles come through the read-only path. A thread that writes the tile later does so after a barrier
  /// behind all of its reads, and nothing reads it again in the same kernel.
  template <bool readonly = false>
  BITUNE_DEVICE static void load(const Raw* tile, u32 count, Word (&items)[vt]) {
    const u32 first = first_place();
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
        const u32 i = first + place_from_first(r);
        items[r] = i < count ? Codec::encode(tile[i]) : Codec::padding;
      }
    }
  }

  BITUNE_DEVICE static void store(Raw* tile, u32 count, const Word (&items)[vt]) {
    const u32 first = first_place();
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
        const u32 i = first + place_from_first(r);
        if (i < count) tile[i] = Codec::decode(items[r]);
      }
    }
  }
};

/// Number of items of the tile of `nv` items at `begin` that exist in an array of n. Precondition: begin < n.
BITUNE_DEVICE u32 items_in_tile(u64 begin, u64 n, u32 nv) {
  return n - begin < nv ? static_cast<u32>(n - begin) : nv;
}

}  // namespace bitune
