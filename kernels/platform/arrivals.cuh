#pragma once

/// \file
/// What blocks of a cluster (sm_90 on) send each other without a barrier of all: a part of the platform (platform.cuh) that few kernels
/// need. A barrier of the cluster that orders memory waits for all that the block has written, and empties the level 1 cache; an
/// arrival of bytes waits for these only.

#include "kernels/platform/platform.cuh"

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated_arrivals.hpp"

namespace bitune::detail {

/// Bound by the emulator when it loads the kernel.
inline const emulated::ArrivalServices* arrival_services = nullptr;

}  // namespace bitune::detail

extern "C" __attribute__((visibility("default"))) inline __attribute__((used)) void bitune_emulated_bind_arrivals(
    const bitune::emulated::ArrivalServices* services) {
  bitune::detail::arrival_services = services;
}
#endif

namespace bitune {

/// How many bytes are still to arrive in the block's shared memory; lies there, too. For one exchange of one launch.
struct Arrivals {
  u64 state;
};

#if defined(BITUNE_EMULATED)

/// By one thread: so many bytes will be sent here, which is not 0.
BITUNE_DEVICE void expect_bytes(Arrivals* arrivals, u32 bytes) { arrivals->state = bytes; }

/// By the same thread, behind all that it expects and before arrive_at_cluster(): the other blocks may send.
BITUNE_DEVICE void publish_arrivals() {}

/// The first half of a barrier of all threads of the cluster, behind which the blocks have begun and expect what they have said;
/// orders nothing else, and does not wait.
BITUNE_DEVICE void arrive_at_cluster() {}

/// The second half, which waits. On the emulated device it is the whole barrier.
BITUNE_DEVICE void wait_for_cluster() { sync_cluster(); }

/// Writes 4 or 8 bytes in block `rank` of the cluster where `local` is in this block's shared memory, and has them arrive there.
template <typename T>
BITUNE_DEVICE void send_to_rank(T* local, Arrivals* arrivals, u32 rank, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  *shared_of_rank(local, rank) = value;
  detail::arrival_services->arrive(&shared_of_rank(arrivals, rank)->state, sizeof(T));
}

/// Waits until all bytes have arrived, which the thread can then read.
BITUNE_DEVICE void wait_for_bytes(Arrivals* arrivals) { detail::arrival_services->wait(&arrivals->state); }

#else

BITUNE_DEVICE void expect_bytes(Arrivals* arrivals, u32 bytes) {
#if __CUDA_ARCH__ >= 900
  const u32 barrier = static_cast<u32>(__cvta_generic_to_shared(arrivals));
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
      : "memory");
#else
  __trap();
#endif
}

BITUNE_DEVICE void publish_arrivals() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

BITUNE_DEVICE void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

BITUNE_DEVICE void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

namespace detail {

BITUNE_DEVICE u32 shared_address_of_rank(const void* local, u32 rank) {
  u32 address = 0;
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(static_cast<u32>(__cvta_generic_to_shared(local))), "r"(rank));
#endif
  return address;
}

}  // namespace detail

template <typename T>
BITUNE_DEVICE void send_to_rank(T* local, Arrivals* arrivals, u32 rank, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if __CUDA_ARCH__ >= 900
  const u32 to = detail::shared_address_of_rank(local, rank);
  const u32 barrier = detail::shared_address_of_rank(arrivals, rank);
  if constexpr (sizeof(T) == 4) {
    u32 bits;
    memcpy(&bits, &value, sizeof(bits));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(bits), "r"(barrier)
                 : "memory");
  } else {
    u64 bits;
    memcpy(&bits, &value, sizeof(bits));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to), "l"(bits), "r"(barrier)
                 : "memory");
  }
#endif
}

BITUNE_DEVICE void wait_for_bytes(Arrivals* arrivals) {
#if __CUDA_ARCH__ >= 900
  const u32 barrier = static_cast<u32>(__cvta_generic_to_shared(arrivals));
  u32 complete;
  do {
    asm volatile(
        "{\n.reg .pred complete;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], 0;\n"
        "selp.u32 %0, 1, 0, complete;\n}"
        : "=r"(complete)
        : "r"(barrier)
        : "memory");
  } while (complete == 0);
#endif
}

#endif

}  // namespace bitune
