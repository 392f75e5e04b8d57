#pragma once

// All steps that stay within a span of keys, done by one block on its span: in global memory with a barrier between
// steps, or in shared memory. The same walk over the network serves both.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/meta.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/steps/warp_walk.cuh"

namespace bitune {

/// The pairs of one step over a span of `nv` places, split over nt threads: `Places` loads and stores words by index.
/// unroll: pairs in flight a thread.
template <class Places, int nt, u32 nv, int unroll>
struct PairWalk {
  static constexpr int rounds = nv / 2 / nt;  // pairs a thread
  static_assert(rounds * nt * 2 == nv && rounds % unroll == 0);

  /// Compares the pairs (i, i ^ partner_mask) whose indices differ in bit `bit` first.
  BITUNE_DEVICE static void step(Places& places, int bit, u32 partner_mask) {
    for (int round = 0; round < rounds; round += unroll) {
      using Word = typename Places::Word;
      Word low[unroll];
      Word high[unroll];
      BITUNE_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const u32 i = lower_of_pair(round + u, bit);
        low[u] = places.get(i);
        high[u] = places.get(i ^ partner_mask);
      }
      BITUNE_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const u32 i = lower_of_pair(round + u, bit);
        if (high[u] < low[u]) {
          places.set(i, high[u]);
          places.set(i ^ partner_mask, low[u]);
        }
      }
    }
  }

  BITUNE_DEVICE static u32 lower_of_pair(int round, int bit) {
    return insert_zero_bits(static_cast<u32>(round) * nt + thread_index(), bit, 1);
  }
};

/// Walks stages first_stage .. last_stage of the network over a span; the first of them starts at its flip if
/// `with_flip`, else with the plain step on its top bit. Ends with a barrier, so that every thread sees the result.
///
/// With `warp_barriers`, a barrier of the warp stands between steps whose pairs stay within 64 places. Every warp then
/// works on the same 64 places (a round) before and after it.
template <class Places, int nt, u32 nv, int unroll, bool warp_barriers>
BITUNE_DEVICE void walk_stages(Places& places, int first_stage, int last_stage, bool with_flip) {
  using Walk = PairWalk<Places, nt, nv, unroll>;
  for (int stage = first_stage; stage <= last_stage; ++stage) {
    for (int bit = stage - 1; bit >= 0; --bit) {
      const bool flip = with_flip && bit == stage - 1;
      Walk::step(places, bit, flip ? (2u << bit) - 1 : 1u << bit);
      // The step that follows on a lower bit, or the next stage's flip on bit `stage`.
      const int next_bit = bit > 0 ? bit - 1 : stage;
      if (warp_barriers && bit <= 5 && next_bit <= 5 && !(bit == 0 && stage == last_stage)) {
        sync_warp();
      } else {
        sync_block();
      }
    }
  }
}

/// As walk_stages, with the steps within 64 places on registers, by shuffles.
template <class Places, int nt, u32 nv, int unroll>
BITUNE_DEVICE void walk_stages_by_shuffles(Places& places, int first_stage, int last_stage, bool with_flip) {
  using Walk = PairWalk<Places, nt, nv, unroll>;
  constexpr int warp_stages = WarpPlaces<typename Places::Word>::stages;
  int stage = first_stage;
  if (stage <= warp_stages) {
    stage = smaller_of(last_stage, warp_stages);
    walk_in_warps<Places, nt, nv>(places, first_stage, stage, with_flip);
    ++stage;
  }
  for (; stage <= last_stage; ++stage) {
    for (int bit = stage - 1; bit >= warp_stages; --bit) {
      const bool flip = with_flip && bit == stage - 1;
      Walk::step(places, bit, flip ? (2u << bit) - 1 : 1u << bit);
      sync_block();
    }
    walk_in_warps<Places, nt, nv>(places, stage, stage, with_flip);
  }
}

/// A span in global memory. Places beyond the array read as padding and are not written.
template <class Codec, class Payload>
struct GlobalPlaces {
  using Word = Item<Codec, Payload>;
  typename Codec::Raw* span;
  u32 count;
  BITUNE_DEVICE Word get(u32 i) const { return i < count ? Codec::encode(span[i]) : Codec::padding; }
  // A place beyond the array holds padding, which no comparator moves: writes stay below count.
  BITUNE_DEVICE void set(u32 i, Word word) { span[i] = Codec::decode(word); }
};

/// A span in shared memory, as encoded words of the key's own size; optionally one place of padding after each 128
/// bytes against bank conflicts.
template <class Codec, class Payload, bool padded>
struct SharedPlaces {
  using Word = Item<Codec, Payload>;
  using Raw = typename Codec::Raw;
  static constexpr int row_bits = log2_of(128 / sizeof(Raw));
  Raw* shared;
  BITUNE_DEVICE static constexpr u32 address(u32 i) { return padded ? i + (i >> row_bits) : i; }
  BITUNE_DEVICE Word get(u32 i) const { return shared[address(i)]; }
  BITUNE_DEVICE void set(u32 i, Word word) { shared[address(i)] = static_cast<Raw>(word); }
};

/// Stages first_stage .. last_stage within spans of nv keys, in global memory. Grid: one block a span, blocks_per_row
/// blocks a row; rows begin row_stride keys apart.
template <class Codec, class Payload, int nt, u32 nv, int unroll>
BITUNE_KERNEL(nt, 1)
block_steps(typename Codec::Raw* keys, u64 n, u32 first_stage, u32 last_stage, u32 with_flip, u64 row_stride,
            u32 blocks_per_row) {
  const RowOfBlock place(blocks_per_row);
  keys += place.row * row_stride;
  const u64 begin = u64{place.block} * nv;
  GlobalPlaces<Codec, Payload> places{keys + begin, items_in_tile(begin, n, nv)};
  walk_stages<GlobalPlaces<Codec, Payload>, nt, nv, unroll, false>(places, static_cast<int>(first_stage),
                                                                   static_cast<int>(last_stage), with_flip != 0);
}

/// The same in shared memory: read once (through the read-only path if `readonly`), all steps (those within a warp by
/// `shuffles`, or in shared memory too), written once. Dynamic shared memory: nv words of the key's size, and their padding.
template <class Codec, class Payload, int nt, u32 nv, int unroll, int vector, bool padded, bool warp_barriers,
          bool readonly = false, bool shuffles = false>
BITUNE_KERNEL(nt, 1)
shared_steps(typename Codec::Raw* keys, u64 n, u32 first_stage, u32 last_stage, u32 with_flip, u64 row_stride,
             u32 blocks_per_row) {
  using Places = SharedPlaces<Codec, Payload, padded>;
  using Memory = StripedTile<Codec, Payload, nt, vector, vector>;
  const RowOfBlock place(blocks_per_row);
  const u64 begin = u64{place.block} * nv;
  const u32 count = items_in_tile(begin, n, nv);
  typename Codec::Raw* tile = keys + place.row * row_stride + begin;
  Places places{shared_memory<typename Codec::Raw>()};
  for (u32 round = 0; round < nv; round += Memory::nv) {
    Item<Codec, Payload> items[vector];
    Memory::template load<readonly>(tile + round, round < count ? items_in_tile(round, count, Memory::nv) : 0, items);
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) places.set(round + thread_index() * vector + v, items[v]);
  }
  sync_block();
  const int first = static_cast<int>(first_stage);
  const int last = static_cast<int>(last_stage);
  if constexpr (shuffles) {
    walk_stages_by_shuffles<Places, nt, nv, unroll>(places, first, last, with_flip != 0);
  } else {
    walk_stages<Places, nt, nv, unroll, warp_barriers>(places, first, last, with_flip != 0);
  }
  for (u32 round = 0; round < count; round += Memory::nv) {
    Item<Codec, Payload> items[vector];
    BITUNE_UNROLL
    for (int v = 0; v < vector; ++v) items[v] = places.get(round + thread_index() * vector + v);
    Memory::store(tile + round, items_in_tile(round, count, Memory::nv), items);
  }
}

}  // namespace bitune
