#pragma once

// Runs: the first of the multiway variant's kernels. The array is cut into runs, each sorted in the registers of one block or of
// a cluster of them and written to the workspace as encoded words, which order as unsigned integers do.

#include "kernels/cluster_tile.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The codec of what is encoded already: words of the key's size as unsigned integers.
template <class Codec_>
using EncodedCodec = Codec<Codec_::bytes, KeyClass::unsigned_integer, 0, false>;

/// When the next launch may begin, if it is a dependent one: at once, or (late) when this one has nothing but its stores to
/// do. The blocks of a launch take room from when they begin, though they wait.
template <bool late>
struct LaunchOrder {
  BITUNE_DEVICE static void begin() {
    if constexpr (late) {
      wait_for_previous_launch();
    } else {
      begin_dependent_launch();
    }
  }
  BITUNE_DEVICE static void before_stores() {
    if constexpr (late) allow_next_launch();
  }
};

/// Sorts a run of ranks * nt * vt keys of a row from `input` to `runs`: rows begin row_stride keys apart there, and n here.
/// The last run of a row may be shorter. Each run is the work of a cluster of `ranks` blocks, blocks_per_row blocks a row. Shared
/// memory: RegisterTile::shared_words words.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, bool late, int ranks>
BITUNE_DEVICE void sort_run(typename Codec::Raw* runs, const typename Codec::Raw* input, u64 n, u64 row_stride, u32 blocks_per_row) {
  using Word = Item<Codec, Payload>;
  using Tile = ClusterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps, ranks>;
  using Input = StripedTile<Codec, Payload, nt, vt, vector>;
  using Output = StripedTile<EncodedCodec<Codec>, Payload, nt, vt, vector>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * Tile::Block::nv;
  const u32 count = ranks == 1 || begin < n ? items_in_tile(begin, n, Tile::Block::nv) : 0;
  Word* const shared = shared_memory<Word>();
  Word items[vt];
  LaunchOrder<late>::begin();
  Input::load(input + place.row * row_stride + begin, count, items);
  Tile::sort(shared, items);
  Tile::Block::template to_striped<vector>(shared, items);
  LaunchOrder<late>::before_stores();
  Output::store(runs + place.row * n + begin, count, items);
}

/// sort_run for every run. Grid: a cluster of `ranks` blocks for every run, blocks_per_row blocks a row.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int vector, int imad_quarters, int min_blocks,
          bool late, int ranks>
BITUNE_KERNEL(nt, min_blocks)
run_sort(typename Codec::Raw* runs, const typename Codec::Raw* input, u64 n, u64 row_stride, u32 blocks_per_row) {
  sort_run<Codec, Payload, nt, vt, shuffle_steps, vector, imad_quarters, late, ranks>(runs, input, n, row_stride, blocks_per_row);
}

}  // namespace bitune
