#pragma once

// Rows as long as the registers of a cluster of blocks hold, two at a time: as cluster_sort, for keys of at most 16 bits, two a register
// (packed_word.cuh).

#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/packed_word.cuh"
#include "kernels/network/tile_io.cuh"

namespace bitune {

/// As StripedTile, of two tiles. Each vector is packed, or unpacked, by itself: the keys of whole tiles would take twice the registers.
template <class Codec, class Payload, int nt, int vt, int vector>
struct StripedPairTile {
  using Raw = typename Codec::Raw;
  using Single = StripedTile<Codec, Payload, nt, vt, vector>;

  BITUNE_DEVICE static void load(const Raw* first, const Raw* second, u32 count, PackedWord (&items)[vt]) {
    const u32 begin = thread_index() * vector;
    if (count == Single::nv && Single::aligned(first) && Single::aligned(second)) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        Raw of_first[vector];
        Raw of_second[vector];
        load_vector<Raw, vector>(first + begin + r * nt, of_first);
        load_vector<Raw, vector>(second + begin + r * nt, of_second);
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) items[r + v] = PackedWord(Codec::encode(of_first[v]), Codec::encode(of_second[v]));
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = begin + Single::place_from_first(r);
        items[r] = i < count ? PackedWord(Codec::encode(first[i]), Codec::encode(second[i])) : PackedWord(Codec::padding);
      }
    }
  }

  /// Not the second if it is null.
  BITUNE_DEVICE static void store(Raw* first, Raw* second, u32 count, const PackedWord (&items)[vt]) {
    const u32 begin = thread_index() * vector;
    if (count == Single::nv && second != nullptr && Single::aligned(first) && Single::aligned(second)) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        Raw of_first[vector];
        Raw of_second[vector];
        BITUNE_UNROLL
        for (int v = 0; v < vector; ++v) {
          of_first[v] = Codec::decode(items[r + v].first());
          of_second[v] = Codec::decode(items[r + v].second());
        }
        store_vector<Raw, vector>(first + begin + r * nt, of_first);
        store_vector<Raw, vector>(second + begin + r * nt, of_second);
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = begin + Single::place_from_first(r);
        if (i >= count) continue;
        first[i] = Codec::decode(items[r].first());
        if (second != nullptr) second[i] = Codec::decode(items[r].second());
      }
    }
  }
};

/// Arguments as row_sort's. Grid: one cluster of `ranks` blocks for every two rows, of at most ranks * nt * vt keys each. Dynamic
/// shared memory: RegisterTile::shared_words words of 4 bytes a block.
template <class Codec, class Payload, int nt, int vt, int ranks, int shuffle_steps, int vector, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
packed_cluster_sort(typename Codec::Raw* keys, const typename Codec::Raw* input, u64 rows, u32 length, u64 stride) {
  static_assert(Codec::bits <= 16);
  using Tile = ClusterTile<PackedWord, PackedComparator<imad_quarters>, nt, vt, shuffle_steps, ranks>;
  using Memory = StripedPairTile<Codec, Payload, nt, vt, vector>;
  constexpr u32 nv = Tile::Block::nv;
  const u32 begin = cluster_rank() * nv;
  const u32 count = begin < length ? items_in_tile(begin, length, nv) : 0;
  const u64 row = u64{block_index() / ranks} * 2;
  const bool has_second = row + 1 < rows;
  const u64 first = row * stride + begin;
  const u64 second = has_second ? first + stride : first;
  PackedWord* const shared = shared_memory<PackedWord>();
  PackedWord items[vt];
  Memory::load(input + first, input + second, count, items);
  Tile::sort(shared, items);
  // The last cluster barrier is behind all access to other blocks: from here on a block may finish on its own.
  Tile::Block::template to_striped<vector>(shared, items);
  Memory::store(keys + first, has_second ? keys + second : nullptr, count, items);
}

}  // namespace bitune
