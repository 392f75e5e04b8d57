#pragma once

// Rows of keys of at most 16 bits, two at a time, with two keys a register (packed_word.cuh).

#include "kernels/network/packed_word.cuh"
#include "kernels/rows/row_sort.cuh"

namespace bitune {

/// As row_sort, for keys of 8 and 16 bits: a group of nt threads sorts two neighbouring rows. Grid: a block for every
/// 2 * groups_per_block rows. Dynamic shared memory: groups_per_block * RegisterTile::shared_words words of 4 bytes, none if
/// all lane bits go by shuffles. full: length is nt * vt.
template <class Codec, class Payload, int nt, int vt, int groups_per_block, int shuffle_steps, int vector, int swaps,
          int imad_quarters, int min_blocks, bool full>
BITUNE_KERNEL(nt * groups_per_block, min_blocks)
packed_row_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, u64 rows, u32 length, u64 stride) {
  static_assert(Codec::bits <= 16);
  using Raw = typename Codec::Raw;
  using Tile = RegisterTile<PackedWord, PackedComparator<imad_quarters>, nt, vt, shuffle_steps, groups_per_block == 1>;
  using Memory = RowTile<Codec, Payload, nt, vt, vector, swaps>;
  const u32 group = thread_index() / nt;
  const u64 row = (u64{block_index()} * groups_per_block + group) * 2;
  const bool vectors = (reinterpret_cast<u64>(keys) | reinterpret_cast<u64>(input) | stride * sizeof(*keys) |
                        length * sizeof(*keys)) % (vector * sizeof(*keys)) == 0;
  // Groups without a row go through all barriers and shuffles, and read the last one.
  const Raw* const of_first = input + minimum(row, rows - 1) * stride;
  const Raw* const of_second = input + minimum(row + 1, rows - 1) * stride;
  PackedWord items[vt];
  {
    Raw first[vt];
    Raw second[vt];
    Memory::template read<full>(of_first, length, vectors, first);
    Memory::template read<full>(of_second, length, vectors, second);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = PackedWord(Codec::encode(first[r]), Codec::encode(second[r]));
  }
  Tile::sort(shared_memory<PackedWord>() + group * Tile::shared_words, items);
  RowTile<PackedCodec<Codec>, Payload, nt, vt, vector, swaps>::swap_bits(items);
  u32 first[vt];
  u32 second[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    first[r] = items[r].first();
    second[r] = items[r].second();
  }
  if (row < rows) Memory::template store<full>(keys + row * stride, length, vectors, first);
  if (row + 1 < rows) Memory::template store<full>(keys + (row + 1) * stride, length, vectors, second);
}

}  // namespace bitune
