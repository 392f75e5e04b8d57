#pragma once

// Leaves: the last of the samplesort variant's kernels. Each is sorted in the registers of one block.

#include "kernels/register_tile.cuh"
#include "kernels/run_sort.cuh"
#include "kernels/sample_leaves.cuh"

namespace bitune {

/// Sorts `count` words in global memory by the block's nt threads, a comparator a thread and step: for what does not fit a tile.
template <int nt, class Raw>
BITUNE_DEVICE void sort_in_memory(Raw* words, u32 count) {
  for (u32 run = 1; run < count; run *= 2) {
    for (u32 distance = run; distance > 0; distance /= 2) {
      const u32 partner_mask = distance == run ? 2 * run - 1 : distance;
      for (u32 pair = thread_index();; pair += nt) {
        const u32 i = pair + (pair & ~(distance - 1));  // a zero bit inserted
        if (i >= count) break;
        const u32 partner = i ^ partner_mask;
        if (partner < count && words[partner] < words[i]) {
          const Raw larger = words[i];
          words[i] = words[partner];
          words[partner] = larger;
        }
      }
      sync_block();
    }
  }
}

/// Sorts each leaf's words to its place in `keys`. Grid: a block for each leaf that there may be. Dynamic shared memory:
/// RegisterTile::shared_words words. A leaf that is too large, as happens once in millions of sorts, is slow, but right.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
leaf_sort(typename Codec::Raw* keys, typename Codec::Raw* words, u32* tables, u32 most_leaves, const typename Codec::Word* splitters) {
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Input = StripedTile<EncodedCodec<Codec>, Payload, nt, vt, 1>;
  using Output = StripedTile<Codec, Payload, nt, vt, 1>;
  const Leaves leaves(tables, most_leaves);
  begin_dependent_launch();
  if (block_index() >= *leaves.count) return;
  const u32 begin = leaves.begins[block_index()];
  const u32 count = leaves.sizes[block_index()];
  const u32 filling = leaves.filling[block_index()];
  keys += begin;
  words += begin;
  if (filling != no_bucket) {
    const typename Codec::Raw key = Codec::decode(splitters[filling]);
    for (u32 i = thread_index(); i < count; i += nt) keys[i] = key;
  } else if (count > Tile::nv) {
    sort_in_memory<nt>(words, count);
    for (u32 i = thread_index(); i < count; i += nt) keys[i] = Codec::decode(words[i]);
  } else {
    Word* const shared = shared_memory<Word>();
    Word items[vt];
    Input::load(words, count, items);
    Tile::sort(shared, items);
    Tile::template to_striped<1>(shared, items);
    Output::store(keys, count, items);
  }
}

}  // namespace bitune
