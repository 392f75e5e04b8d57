#pragma once

// Rows: many short arrays. Each is sorted on its own in the registers of a group of threads: part of a warp, a warp, or a block. A block
// has several groups where they are small.

#include "kernels/network/row_tile.cuh"

namespace bitune {

/// Sorts each of `rows` rows of `length` keys (at most nt * vt), row i beginning `stride` keys behind row i - 1, from
/// `input` to `keys`; both may be the same. Grid: a block for every rows_per_block rows. Dynamic shared memory:
/// rows_per_block * RegisterTile::shared_words words, none if all lane bits go by shuffles. full: length is nt * vt.
template <class Codec, class Payload, int nt, int vt, int rows_per_block, int shuffle_steps, int vector, int swaps,
          int imad_quarters, int min_blocks, bool full>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
row_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, u64 rows, u32 length, u64 stride) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps, rows_per_block == 1>;
  using Memory = RowTile<Codec, Payload, nt, vt, vector, swaps>;
  const u32 group = thread_index() / nt;
  const u64 row = u64{block_index()} * rows_per_block + group;
  const bool vectors = (reinterpret_cast<u64>(keys) | reinterpret_cast<u64>(input) | stride * sizeof(*keys) |
                        length * sizeof(*keys)) % (vector * sizeof(*keys)) == 0;
  Word* shared = shared_memory<Word>() + group * Tile::shared_words;
  Word items[vt];
  // Threads past the last row sort whatever they hold, but go through all barriers and shuffles.
  if (row < rows) {
    Memory::template load<full>(input + row * stride, length, vectors, items);
  } else {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Codec::padding;
  }
  Tile::sort(shared, items);
  Memory::swap_bits(items);
  if (row < rows) Memory::template store<full>(keys + row * stride, length, vectors, items);
}

}  // namespace bitune
