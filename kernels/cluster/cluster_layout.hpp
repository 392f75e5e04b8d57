#pragma once

/// \file
/// Sizes of what the blocks of a cluster send each other (SendingClusterTile).

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Whether the rank of a block has one bit more than a thread has register bits: then the last stage has a third exchange.
constexpr bool has_third_exchange(Size items, Size ranks) { return ranks > items; }

/// Exchanges between blocks: two for each stage above a block, and the third one.
constexpr Size cluster_exchanges(Size items, Size ranks) {
  return 2 * ceil_log2(ranks) + (has_third_exchange(items, ranks) ? 1 : 0);
}

/// Words that a block receives: a tile for each stage and one more, and half of one for the third exchange.
constexpr Size received_words(Size threads, Size items, Size ranks) {
  const Size tile = threads * items;
  return (ceil_log2(ranks) + 1) * tile + (has_third_exchange(items, ranks) ? tile / 2 : 0);
}

/// Bytes of Arrivals, one for each exchange.
constexpr Size arrivals_bytes() { return 8; }

/// Shared memory of a block: RegisterTile's, what it receives, and the arrivals.
constexpr Size sending_cluster_bytes(Size threads, Size items, Size ranks, Size word_bytes) {
  return padded_bytes(threads * items, word_bytes) + received_words(threads, items, ranks) * word_bytes +
         cluster_exchanges(items, ranks) * arrivals_bytes();
}

}  // namespace bitune::layout
