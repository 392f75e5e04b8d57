#pragma once

/// \file
/// Clusters and dependent launches on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

// --- Clusters (sm_90 on; before that a kernel that calls these traps) ---

/// Index of this block in its cluster.
BITUNE_DEVICE u32 cluster_rank() {
  u32 rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

/// Number of blocks in this block's cluster; 1 in a launch without clusters.
BITUNE_DEVICE u32 cluster_size() {
  u32 size = 1;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
  return size;
}

/// Barrier of all threads of the cluster; orders their memory, distributed shared memory too. No block may return while
/// another still reads its shared memory: end such a kernel with this.
BITUNE_DEVICE void sync_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}

/// The address, in block `rank` of the cluster, of what `local` is in this block's shared memory.
template <typename T>
BITUNE_DEVICE T* shared_of_rank(T* local, u32 rank) {
#if __CUDA_ARCH__ >= 900
  u64 address;
  asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(reinterpret_cast<u64>(local)), "r"(rank));
  return reinterpret_cast<T*>(address);
#else
  __trap();
  return local;
#endif
}

// --- What blocks of a cluster send each other (sm_90 on) ---

// A barrier of the cluster that orders memory waits for all that the block has written, and empties the level 1 cache. An arrival of bytes
// waits for these bytes only.


/// How many bytes are still to arrive in the block's shared memory; lies there, too. For one exchange of one launch.
struct Arrivals {
  u64 state;
};

/// By one thread: so many bytes will be sent here, which is not 0.
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

/// By the same thread, after all its calls of expect_bytes and before arrive_at_cluster(): lets the other blocks send.
BITUNE_DEVICE void publish_arrivals() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// The first half of a barrier of all threads of the cluster. Behind the barrier all blocks have begun, and expect the bytes that they have
/// said. It orders nothing else, and does not wait.
BITUNE_DEVICE void arrive_at_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

/// The second half, which waits. On the emulated device it is the whole barrier.
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

/// Writes 4 or 8 bytes in block `rank` of the cluster where `local` is in this block's shared memory, and has them arrive there.
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

/// The same for two words of 8 bytes, at an address that is aligned to 16.
BITUNE_DEVICE void send_two_words_to_rank(void* local, Arrivals* arrivals, u32 rank, u64 first, u64 second) {
#if __CUDA_ARCH__ >= 900
  const u32 to = detail::shared_address_of_rank(local, rank);
  const u32 barrier = detail::shared_address_of_rank(arrivals, rank);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(first), "l"(second),
               "r"(barrier)
               : "memory");
#endif
}

/// Waits until all bytes have arrived, which the thread can then read.
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

// --- Dependent launches (sm_90 on; before that each launch begins when the one before it has ended) ---

/// Lets the stream's next launch begin, if it was launched as a dependent one: its blocks then wait for this launch to end
/// in wait_for_previous_launch(). Every thread waits before it allows. So when a launch begins, all is done but the launch before it, and
/// whoever comes behind a sort never meets what came before it.
BITUNE_DEVICE void allow_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// In a dependent launch, waits until the launch before has ended and its memory is visible; else returns at once. Must
/// precede all access to global memory.
BITUNE_DEVICE void wait_for_previous_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace bitune
