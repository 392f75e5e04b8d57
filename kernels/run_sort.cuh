#pragma once

// Runs: the first of the multiway variant's three kernels. The array is cut into runs of nt * vt keys, each sorted in the
// registers of one block and written to the workspace as encoded words, which order as unsigned integers do.

#include "kernels/row_sort.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The codec of what is encoded already: words of the key's size as unsigned integers.
template <class Codec_>
using EncodedCodec = Codec<Codec_::bytes, KeyClass::unsigned_integer, 0, false>;

/// Whether `count` keys at both addresses are whole vectors of `vector` keys.
template <int vector, class Raw>
BITUNE_DEVICE bool whole_vectors(const Raw* a, const Raw* b, u32 count) {
  return (reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b) | count * sizeof(Raw)) % (vector * sizeof(Raw)) == 0;
}

/// Sorts each run of every row from `input` to `runs`: rows begin row_stride keys apart there, and n here. The last run of
/// a row may be shorter. Grid: one block a run, blocks_per_row blocks a row. Dynamic shared memory:
/// RegisterTile::shared_words words.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int swaps, int imad_quarters,
          int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
run_sort(typename Codec::Raw* runs, const typename Codec::Raw* input, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Input = RowTile<Codec, Payload, nt, vt, vector, swaps>;
  using Output = RowTile<EncodedCodec<Codec>, Payload, nt, vt, vector, swaps>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::nv;
  const u32 count = items_in_tile(begin, n, Tile::nv);
  const typename Codec::Raw* from = input + place.row * row_stride + begin;
  typename Codec::Raw* to = runs + place.row * n + begin;
  const bool vectors = whole_vectors<vector>(from, to, count);
  Word items[vt];
  begin_dependent_launch();
  if (count == Tile::nv) {
    Input::template load<true>(from, count, vectors, items);
  } else {
    Input::template load<false>(from, count, vectors, items);
  }
  Tile::sort(shared_memory<Word>(), items);
  Output::swap_bits(items);
  if (count == Tile::nv) {
    Output::template store<true>(to, count, vectors, items);
  } else {
    Output::template store<false>(to, count, vectors, items);
  }
}

}  // namespace bitune
