#pragma once

// How a block has a segment in its registers: by comparators of three where a lane has a number of items for these, else as a ragged tile.

#include "kernels/segments/ragged_tile.cuh"
#include "kernels/segments/warp_runs_tile.cuh"

namespace bitune {

template <class Word, class Compare, int nt, int vt, int shuffle_steps, bool by_threes = (sorts_by_threes<Word> && vt % 3 == 0)>
struct BlockTileOf {
  using Type = RaggedTile<Word, Compare, nt, vt, shuffle_steps>;
};
template <class Word, class Compare, int nt, int vt, int shuffle_steps>
struct BlockTileOf<Word, Compare, nt, vt, shuffle_steps, true> {
  using Type = WarpRunsTile<Word, nt, vt>;
};

template <class Word, class Compare, int nt, int vt, int shuffle_steps>
using BlockTile = typename BlockTileOf<Word, Compare, nt, vt, shuffle_steps>::Type;

}  // namespace bitune
