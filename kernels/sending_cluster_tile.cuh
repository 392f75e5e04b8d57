#pragma once

// A tile in the registers of a cluster of blocks, as cluster_tile.cuh has it, whose blocks send each other their items: asynchronously,
// to where they are read next, with no barrier of the cluster.
//
// Between blocks items move only in the striped order of a block, register r of thread t at t + r * nt: then all that a thread sends is
// for threads of its own index, and neighbouring threads write neighbouring words. The merge of stage B + k concerns groups of 2^k
// blocks. Before its steps on the index bits [T + k, B + k) the block's index bits [T, T + k), which are the low k register bits, trade places
// with the k bits of its rank in the group; after them back again.
//
// Who may write where: the memory of an exchange is written once in a launch, but for that of the way back in stage k, which was that of the
// way there in stage k - 1. Who sends there has received what the stage's blocks sent on the way there, and they had read it then.

#include "kernels/platform_cluster.cuh"
#include "kernels/register_tile.cuh"

namespace bitune {

/// ranks: blocks of the cluster, each with nt threads of vt items.
template <class Word, class Compare, int nt, int vt, int shuffle_steps, int ranks>
struct SendingClusterTile {
  using Block = RegisterTile<Word, Compare, nt, vt, shuffle_steps>;
  static constexpr int E = Block::E;
  static constexpr int T = Block::T;
  static constexpr int C = log2_of(ranks);
  static_assert(is_power_of_two(ranks) && ranks >= 2 && C <= E);

  /// Bytes of shared memory: RegisterTile's, one tile for each of C + 1 exchanges, and the arrivals of all 2 C.
  static constexpr u32 shared_bytes = (Block::shared_words + (C + 1) * Block::nv) * sizeof(Word) + 2 * C * sizeof(Arrivals);

  Word* scratch;       ///< RegisterTile's
  Word* received;      ///< [exchange][register][thread]
  Arrivals* arrivals;  ///< [stage - 1][out, back]

  /// At the kernel's beginning, before anything slow.
  BITUNE_DEVICE explicit SendingClusterTile(Word* shared)
      : received(shared), arrivals(reinterpret_cast<Arrivals*>(shared + (C + 1) * Block::nv)) {
    scratch = reinterpret_cast<Word*>(arrivals + 2 * C);
    if (thread_index() == 0) {
      BITUNE_UNROLL
      for (int i = 0; i < 2 * C; ++i) expect_bytes(arrivals + i, Block::nv * sizeof(Word));
    }
    arrive_at_cluster();
  }

  /// Trades the low k register bits for the k bits of the rank in the group, or (back) the k high ones. Items of the upper half of
  /// the tile are with the mirrored thread of the mirrored rank between the two.
  template <int k, bool back>
  BITUNE_DEVICE void trade(Word (&items)[vt]) const {
    constexpr u32 blocks = u32{1} << k;
    constexpr u32 last_thread = nt - 1;
    constexpr int kept = E - k;  // register bits that stay
    const u32 mine = cluster_rank() & (blocks - 1);
    const u32 group = cluster_rank() & ~(blocks - 1);
    Word* const to = received + (back ? k - 1 : k) * Block::nv + thread_index();
    Arrivals* const then = arrivals + 2 * (k - 1) + (back ? 1 : 0);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      u32 rank;
      u32 place;
      bool mirrored;
      if constexpr (back) {
        rank = r >> kept;
        mirrored = 2 * r >= vt;
        place = (r & ((1 << kept) - 1)) << k | (mirrored ? ~mine & (blocks - 1) : mine);
      } else {
        mirrored = mine >= blocks / 2;
        rank = mirrored ? ~u32(r) & (blocks - 1) : r & (blocks - 1);
        place = mine << kept | r >> k;
      }
      send_to_rank(to + place * nt, then, group | rank, items[r]);
    }
    wait_for_bytes(then);
    const Word* const mirror = to - thread_index() + (thread_index() ^ last_thread);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      // Which items have been mirrored on their way is known by the half of the tile that they are of.
      const bool mirrored = back ? mine >= blocks / 2 : 2 * r >= vt;
      items[r] = (mirrored ? mirror : to)[r * nt];
    }
  }

  /// Merges in stages B + k, ..., B + C: items in layout 0 of their block before and after.
  template <int k = 1>
  BITUNE_DEVICE void merge_stages(Word (&items)[vt]) const {
    if constexpr (k <= C) {
      Block::template move<0, false, T, false>(scratch, items);
      trade<k, false>(items);
      register_flip<Compare, E>(items);
      register_steps<Compare, E - 1, 0>(items);
      trade<k, true>(items);
      register_steps<Compare, k, 0>(items);
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
