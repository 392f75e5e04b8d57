#pragma once

// A tile in the registers of a cluster of blocks, like that of cluster_tile.cuh. But here blocks send each other their items. They send
// them asynchronously, to where they are read next, with no barrier of the cluster.
//
// Items move between blocks only in the striped order of a block: register r of thread t is at t + r * nt. So a thread sends only to threads
// of its own index, and neighbouring threads write neighbouring words. The merge of stage B + k concerns groups of 2^k blocks. Before its
// steps on the index bits [T + k, B + k), the block's index bits [T, T + k) trade places with the k bits of its rank in the group. The former
// are the low k register bits. After these steps they trade places again.
//
// A rank may have one bit more than there are register bits. Then its lowest bit waits meanwhile. It trades places with the second lowest
// one, which is a register bit by then. Half of the items have the right bit there already.
//
// Who may write where: each exchange has memory of its own, which is written once in a launch. The only exception is the way back in stage
// k, which has the memory of the way there in stage k - 1. A block that sends on the way back has received what the blocks of its stage sent
// on the way there, and they had read that memory by then. Where the lowest bit waits, it has received this from half of
// them, and it has received items from a neighbour that has received the rest.

#include "kernels/cluster/cluster_layout.hpp"
#include "kernels/network/cluster_tile.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// A thread has a register at least for every second block.
template <class Word, class Compare, int nt, int vt, int shuffle_steps, int ranks>
struct SendingClusterTile : ClusterBits<Word, Compare, nt, vt, shuffle_steps, ranks> {
  using Bits = ClusterBits<Word, Compare, nt, vt, shuffle_steps, ranks>;
  using typename Bits::Block;
  using Bits::C;
  using Bits::E;
  using Bits::T;
  static_assert(C <= E + 1);
  static constexpr int exchanges = layout::cluster_exchanges(vt, ranks);

  static constexpr u32 received_words = layout::received_words(nt, vt, ranks);
  static_assert(sizeof(Arrivals) == layout::arrivals_bytes());

  Word* scratch;       ///< RegisterTile's
  Word* received;      ///< [exchange][register][thread]
  Arrivals* arrivals;  ///< [stage - 1][out, back], then that of the neighbour

  BITUNE_DEVICE explicit SendingClusterTile(Word* shared)
      : received(shared), arrivals(reinterpret_cast<Arrivals*>(shared + received_words)) {
    scratch = reinterpret_cast<Word*>(arrivals + exchanges);
  }

  /// At the kernel's beginning, before anything slow.
  BITUNE_DEVICE void expect_all() const {
    if (thread_index() == 0) {
      BITUNE_UNROLL
      for (int i = 0; i < exchanges; ++i) expect_bytes(arrivals + i, (i < 2 * C ? Block::nv : Block::nv / 2) * sizeof(Word));
      publish_arrivals();
    }
    arrive_at_cluster();
  }

  /// Trades the low register bits, at most k of them, for the high ones of the k bits of the rank in the group. On the way back it trades the
  /// high register bits for those of the rank. Between the two, items of the upper half of the tile are with the mirrored thread of the
  /// mirrored rank.
  template <int k, bool back>
  BITUNE_DEVICE void trade(Word (&items)[vt]) const {
    constexpr u32 blocks = u32{1} << k;
    constexpr u32 last_thread = nt - 1;
    constexpr int kept = k > E ? 0 : E - k;     // register bits that stay
    constexpr int waiting = k > E ? k - E : 0;  // bits of the rank that stay
    const u32 mine = cluster_rank() & (blocks - 1);
    const u32 group = cluster_rank() & ~(blocks - 1);
    Word* const to = received + (back ? k - 1 : k) * Block::nv + thread_index();
    Arrivals* const then = arrivals + 2 * (k - 1) + (back ? 1 : 0);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      u32 rank;
      u32 place;
      if constexpr (!back) {
        rank = ((u32(r) << waiting | (mine & ((1 << waiting) - 1))) ^ (mine >= blocks / 2 ? ~u32{0} : 0)) & (blocks - 1);
        place = mine >> waiting << kept | r >> (E - kept);
      } else {
        const u32 from = 2 * r >= vt ? ~mine & (blocks - 1) : mine;
        if constexpr (waiting == 0) {
          rank = r >> kept;
          place = (r & ((1 << kept) - 1)) << k | from;
        } else {
          rank = u32(r) >> 1 << 2 | (from & 1) << 1 | (r & 1);
          place = from >> 1;
        }
      }
      send_to_rank(to + place * nt, then, group | rank, items[r]);
    }
    wait_for_bytes(then);
    const Word* const mirror = to - thread_index() + (thread_index() ^ last_thread);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      // The half of the tile that an item belongs to says whether it has been mirrored on its way.
      const bool mirrored = back ? mine >= blocks / 2 : 2 * r >= vt;
      items[r] = (mirrored ? mirror : to)[r * nt];
    }
  }

  /// The step on the rank's lowest bit, which has waited. Of each pair of registers one goes to the neighbour. It stays in the same half of
  /// the tile, so that it is mirrored there as it was here.
  BITUNE_DEVICE void neighbour_step(Word (&items)[vt]) const {
    const u32 lowest = cluster_rank() & 1;
    Word* const to = received + (C + 1) * Block::nv + thread_index();
    Arrivals* const then = arrivals + 2 * C;
    BITUNE_UNROLL
    for (int pair = 0; pair < vt / 2; ++pair) {
      const bool even_goes = (lowest == 1) != (4 * pair >= vt);
      const Word going = even_goes ? items[2 * pair] : items[2 * pair + 1];
      items[2 * pair] = even_goes ? items[2 * pair + 1] : items[2 * pair];
      send_to_rank(to + pair * nt, then, cluster_rank() ^ 1, going);
    }
    wait_for_bytes(then);
    BITUNE_UNROLL
    for (int pair = 0; pair < vt / 2; ++pair) items[2 * pair + 1] = to[pair * nt];
    register_step<Compare, 0>(items);
  }

  /// Merges in stages B + k, ..., B + C: items in layout 0 of their block before and after.
  template <int k = 1>
  BITUNE_DEVICE void merge_stages(Word (&items)[vt]) const {
    if constexpr (k <= C) {
      Block::template move<0, false, T, false>(scratch, items);
      trade<k, false>(items);
      register_flip<Compare, E>(items);
      register_steps<Compare, E - 1, 0>(items);
      if constexpr (k > E) neighbour_step(items);
      trade<k, true>(items);
      register_steps<Compare, (k < E ? k : E), 0>(items);
      Block::template merge<T, false, T, false>(scratch, items);
      merge_stages<k + 1>(items);
    }
  }

  BITUNE_DEVICE void sort(Word (&items)[vt]) const {
    Block::sort(scratch, items);
    wait_for_cluster();
    merge_stages(items);
  }
};

}  // namespace bitune
