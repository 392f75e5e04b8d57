#pragma once

// Runs: the first of the multiway variant's kernels. The array is cut into runs of nt * vt keys, each sorted in the
// registers of one block and written to the workspace as encoded words, which order as unsigned integers do.

#include "kernels/row_sort.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The codec of what is encoded already: words of the key's size as unsigned integers.
template <class Codec_>
using EncodedCodec = Codec<Codec_::bytes, KeyClass::unsigned_integer, 0, false>;

/// Instead of a number of swaps: what is stored goes through shared memory, to be stored in the order of the threads.
inline constexpr int through_shared = -1;

/// A run between global memory and the registers of a block (Tile: its RegisterTile), in vectors where address and length
/// allow.
template <class Tile, class Codec, class Payload, int nt, int vt, int vector, int swaps>
struct RunTile {
  using Raw = typename Codec::Raw;
  using Row = RowTile<Codec, Payload, nt, vt, vector, swaps == through_shared ? 0 : swaps>;
  using Striped = StripedTile<Codec, Payload, nt, vt, vector>;
  using Word = typename Row::Word;
  static constexpr u32 nv = u32{nt} * vt;

  BITUNE_DEVICE static bool whole_vectors(const Raw* keys, u32 count) {
    return (reinterpret_cast<u64>(keys) | count * sizeof(Raw)) % (vector * sizeof(Raw)) == 0;
  }

  BITUNE_DEVICE static void load(const Raw* keys, u32 count, Word (&items)[vt]) {
    if (count == nv) {
      Row::template load<true>(keys, count, whole_vectors(keys, count), items);
    } else {
      Row::template load<false>(keys, count, whole_vectors(keys, count), items);
    }
  }

  /// From layout 0 of register_tile.cuh; shared: the tile's memory.
  BITUNE_DEVICE static void store(Raw* keys, u32 count, Word* shared, Word (&items)[vt]) {
    if constexpr (swaps == through_shared) {
      Tile::template to_striped<vector>(shared, items);
      return Striped::store(keys, count, items);
    }
    Row::swap_bits(items);
    if (count == nv) {
      Row::template store<true>(keys, count, whole_vectors(keys, count), items);
    } else {
      Row::template store<false>(keys, count, whole_vectors(keys, count), items);
    }
  }
};

/// Sorts each run of every row from `input` to `runs`: rows begin row_stride keys apart there, and n here. The last run of
/// a row may be shorter. Grid: one block a run, blocks_per_row blocks a row. Dynamic shared memory:
/// RegisterTile::shared_words words.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int swaps, int imad_quarters,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
run_sort(typename Codec::Raw* runs, const typename Codec::Raw* input, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  using Input = RunTile<Tile, Codec, Payload, nt, vt, vector, swaps>;
  using Output = RunTile<Tile, EncodedCodec<Codec>, Payload, nt, vt, vector, swaps>;
  Word* const shared = shared_memory<Word>();
  Word items[vt];
  begin_dependent_launch();
  Input::load(input + place.row * row_stride + begin, count, items);
  Tile::sort(shared, items);
  Output::store(runs + place.row * n + begin, count, shared, items);
}

}  // namespace bitune
