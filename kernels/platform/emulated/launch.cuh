#pragma once

/// \file
/// Clusters and dependent launches on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

// --- Clusters ---

BITUNE_DEVICE u32 cluster_rank() { return detail::self().cluster_rank; }

BITUNE_DEVICE u32 cluster_size() { return detail::self().cluster_size; }

BITUNE_DEVICE void sync_cluster() { detail::services->sync_cluster(); }

template <typename T>
BITUNE_DEVICE T* shared_of_rank(T* local, u32 rank) {
  const auto offset = reinterpret_cast<const unsigned char*>(local) - detail::self().shared;
  return reinterpret_cast<T*>(detail::services->shared_of_rank(rank) + offset);
}

// --- What blocks of a cluster send each other ---

struct Arrivals {
  u64 state;
};

BITUNE_DEVICE void expect_bytes(Arrivals* arrivals, u32 bytes) { arrivals->state = bytes; }

BITUNE_DEVICE void publish_arrivals() {}

BITUNE_DEVICE void arrive_at_cluster() {}

BITUNE_DEVICE void wait_for_cluster() { sync_cluster(); }

template <typename T>
BITUNE_DEVICE void send_to_rank(T* local, Arrivals* arrivals, u32 rank, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  *shared_of_rank(local, rank) = value;
  detail::services->bytes_arrive(&shared_of_rank(arrivals, rank)->state, sizeof(T));
}

BITUNE_DEVICE void send_two_words_to_rank(void* local, Arrivals* arrivals, u32 rank, u64 first, u64 second) {
  u64* const words = shared_of_rank(static_cast<u64*>(local), rank);
  words[0] = first;
  words[1] = second;
  detail::services->bytes_arrive(&shared_of_rank(arrivals, rank)->state, 2 * sizeof(u64));
}

BITUNE_DEVICE void wait_for_bytes(Arrivals* arrivals) { detail::services->wait_for_bytes(&arrivals->state); }

// --- Dependent launches: here each launch ends before the next begins. That a kernel waits, and does so before it allows, is checked ---

BITUNE_DEVICE void allow_next_launch() { detail::services->allow_next_launch(); }
BITUNE_DEVICE void wait_for_previous_launch() { detail::services->wait_for_previous_launch(); }

}  // namespace bitune
