#pragma once

// Keys of 64 bits with their places, as blocks of a cluster send them to each other. SendingClusterTile finds it by its arguments.

#include "kernels/cluster/sending_cluster_tile.cuh"
#include "kernels/network/placed_word.cuh"

namespace bitune {

BITUNE_DEVICE void send_to_rank(KeyAndPlace* local, Arrivals* arrivals, u32 rank, KeyAndPlace item) {
  static_assert(sizeof(KeyAndPlace) == 16);
  send_two_words_to_rank(local, arrivals, rank, item.key, item.place);
}

}  // namespace bitune
