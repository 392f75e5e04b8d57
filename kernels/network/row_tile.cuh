#pragma once

// A row between global memory and registers: the tile of register_tile.cuh that is loaded from an array of any length, and stored there.

#include "kernels/network/register_tile.cuh"

namespace bitune {

/// Writes to a row what each thread has for the places of RowTile::store: item(r) for register r, in vectors of `width` if `vectors`.
template <class Tile, bool full, int width, int vt, class T, class Items>
BITUNE_DEVICE void store_in_row(T* row, u32 length, bool vectors, const Items& item) {
  T* const mine = row + Tile::first_place();
  BITUNE_UNROLL
  for (int r = 0; r < vt; r += width) {
    const u32 place = Tile::first_place() + Tile::register_place(r);
    T vector[width];
    BITUNE_UNROLL
    for (int v = 0; v < width; ++v) vector[v] = item(r + v);
    if (vectors) {
      if (full || place < length) store_vector<T, width>(mine + Tile::register_place(r), vector);
    } else {
      BITUNE_UNROLL
      for (int v = 0; v < width; ++v) {
        if (full || place + v < length) mine[Tile::register_place(r) + v] = vector[v];
      }
    }
  }
}

/// A row between global memory and the registers of a group of nt threads.
///
/// The order of loading does not matter: neighbouring threads read neighbouring vectors. The sorted row is in layout 0 of register_tile.cuh,
/// where a thread holds vt neighbours. If it were stored as it is, the vectors of neighbouring lanes would lie vt keys apart. So first some
/// register bits trade places with lane bits, by shuffles: lane bit j with register bit log2(vector) + j, for `swaps` bits. Then the vectors
/// of 2^swaps lanes lie side by side.
template <class Codec, class Payload, int nt, int vt, int vector, int swaps>
struct RowTile {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  static constexpr int E = log2_of(vt);
  static constexpr int V = log2_of(vector);
  static_assert(vt % vector == 0 && swaps <= E - V && (u32{1} << swaps) <= nt);

  BITUNE_DEVICE static u32 thread() { return thread_index() & (nt - 1); }

  /// Precondition: the row has nt * vt keys if `full`. vectors: rows are aligned to, and as long as, whole vectors. What the row
  /// lacks becomes padding.
  template <bool full>
  BITUNE_DEVICE static void read(const Raw* row, u32 length, bool vectors, Raw (&raw)[vt]) {
    // All loads before the first use, into registers that hold padding: a load that waits for another takes as long again.
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Codec::decode(Codec::padding);
    if (vectors) {
      const Raw* mine = row + thread() * vector;
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        if (full || thread() * vector + r * nt < length) {
          load_vector(mine + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        }
      }
    } else {
      const Raw* mine = row + thread();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (full || thread() + r * nt < length) raw[r] = mine[r * nt];
      }
    }
  }

  /// The row's words, padded with Codec::padding. Preconditions as read.
  template <bool full>
  BITUNE_DEVICE static void load(const Raw* row, u32 length, bool vectors, Word (&items)[vt]) {
    Raw raw[vt];
    read<full>(row, length, vectors, raw);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Codec::encode(raw[r]);
  }

  /// Exchanges index bits between registers and lanes: afterwards register r of this thread holds the item
  /// place(r) of the row.
  template <int done = 0>
  BITUNE_DEVICE static void swap_bits(Word (&items)[vt]) {
    if constexpr (done < swaps) {
      const LaneChoice if_upper((thread() >> done & 1) != 0);
      Word given[vt / 2];
      Word received[vt / 2];
      BITUNE_UNROLL
      for (int pair = 0; pair < vt / 2; ++pair) {
        const int r = insert_zero_bits(pair, V + done, 1);
        given[pair] = if_upper(items[r], items[r | (vector << done)]);
      }
      shuffle_xor_each(given, u32{1} << done, received);
      BITUNE_UNROLL
      for (int pair = 0; pair < vt / 2; ++pair) {
        const int r = insert_zero_bits(pair, V + done, 1);
        items[r] = if_upper(received[pair], items[r]);
        items[r | (vector << done)] = if_upper(items[r | (vector << done)], received[pair]);
      }
      swap_bits<done + 1>(items);
    }
  }

  /// Place in the row of the thread's register 0 after swap_bits.
  BITUNE_DEVICE static u32 first_place() {
    constexpr u32 low_lanes = (u32{1} << swaps) - 1;
    return (thread() & low_lanes) * vector + (thread() & ~low_lanes) * vt;
  }

  /// Distance of register r's place from register 0's.
  BITUNE_DEVICE static constexpr u32 register_place(int r) {
    constexpr int middle_mask = ((1 << swaps) - 1) << V;
    return static_cast<u32>((r & ~middle_mask) + ((r & middle_mask) >> V) * vt);
  }

  /// Stores what swap_bits left. Preconditions as load.
  template <bool full>
  BITUNE_DEVICE static void store(Raw* row, u32 length, bool vectors, const Word (&items)[vt]) {
    store_in_row<RowTile, full, vector, vt>(row, length, vectors, [&](int r) { return Codec::decode(items[r]); });
  }
};

}  // namespace bitune
