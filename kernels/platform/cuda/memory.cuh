#pragma once

/// \file
/// Memory of a kernel on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

// --- Shared memory ---

alignas(16) extern __shared__ unsigned char dynamic_shared_memory[];

/// The beginning of the block's dynamic shared memory, aligned to 16 bytes.
template <typename T>
BITUNE_DEVICE T* shared_memory() {
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

/// Bytes of dynamic shared memory that the launch gave the block.
BITUNE_DEVICE u32 shared_bytes() {
  u32 bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

// --- Vector accesses ---

namespace detail {

/// The register type of a single access of `bytes` bytes.
template <u32 bytes>
struct AccessWord;
template <>
struct AccessWord<1> {
  using Type = unsigned char;
};
template <>
struct AccessWord<2> {
  using Type = unsigned short;
};
template <>
struct AccessWord<4> {
  using Type = unsigned int;
};
template <>
struct AccessWord<8> {
  using Type = uint2;
};
template <>
struct AccessWord<16> {
  using Type = uint4;
};

template <typename T, u32 N>
using Access = typename AccessWord<static_cast<u32>(sizeof(T)) * N>::Type;

}  // namespace detail

/// Reads N values in a single access of 1, 2, 4, 8 or 16 bytes. `from` must be aligned to that size.
template <typename T, u32 N>
BITUNE_DEVICE void load_vector(const T* from, T (&out)[N]) {
  const auto word = *reinterpret_cast<const detail::Access<T, N>*>(from);
  memcpy(out, &word, sizeof(word));
}

/// The same through the read-only path: global memory that no thread writes while the kernel runs.
template <typename T, u32 N>
BITUNE_DEVICE void load_vector_readonly(const T* from, T (&out)[N]) {
  const auto word = __ldg(reinterpret_cast<const detail::Access<T, N>*>(from));
  memcpy(out, &word, sizeof(word));
}

/// Writes N values in a single access of 1, 2, 4, 8 or 16 bytes. `to` must be aligned to that size.
template <typename T, u32 N>
BITUNE_DEVICE void store_vector(T* to, const T (&in)[N]) {
  detail::Access<T, N> word;
  memcpy(&word, in, sizeof(word));
  *reinterpret_cast<detail::Access<T, N>*>(to) = word;
}

// --- Asynchronous copies ---

/// Starts to copy 4 or 8 bytes from global to shared memory; both addresses are aligned to as much. Before the data is read:
/// cp_async_wait_all(), and a barrier for the other threads. Before sm_80 it copies at once.
template <typename T>
BITUNE_DEVICE void cp_async(T* shared_to, const T* global_from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                   static_cast<u32>(__cvta_generic_to_shared(shared_to))),
               "l"(global_from), "n"(sizeof(T))
               : "memory");
#else
  *shared_to = *global_from;
#endif
}

/// Waits for all copies that this thread has started.
BITUNE_DEVICE void cp_async_wait_all() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Ends a group of copies: all that this thread has started since the group before.
BITUNE_DEVICE void cp_async_end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all groups of this thread but the last `groups` ones.
template <int groups>
BITUNE_DEVICE void cp_async_wait_but() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/// As cp_async, of 16 bytes, to which both addresses are aligned.
BITUNE_DEVICE void cp_async_16(void* shared_to, const void* global_from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(shared_to))), "l"(global_from)
               : "memory");
#else
  *static_cast<uint4*>(shared_to) = *static_cast<const uint4*>(global_from);
#endif
}

// --- Atomics ---

/// Adds to a number in global memory; returns what was there before. Relaxed order.
BITUNE_DEVICE u32 atomic_add(u32* to, u32 value) { return atomicAdd(to, value); }
BITUNE_DEVICE u64 atomic_add(u64* to, u64 value) { return atomicAdd(to, value); }

// --- Words between blocks ---

/// Writes a word that other blocks wait for, or reads one: never half of it, and in no order with other words.
BITUNE_DEVICE void publish(u32* to, u32 word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word) : "memory");
}
BITUNE_DEVICE void publish(u64* to, u64 word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(word) : "memory");
}
BITUNE_DEVICE u32 published(const u32* from) {
  u32 word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}
BITUNE_DEVICE u64 published(const u64* from) {
  u64 word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}

/// Asks for the line of memory at this address, which then is in the L2 cache soon. No thread waits for it.
BITUNE_DEVICE void prefetch_to_l2(const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(at))); }

// --- Work that other blocks wait for ---

/// Adds to a number that other blocks wait for. By one thread behind a barrier of its block: whoever sees the sum by acquired() sees all
/// that the block has written.
BITUNE_DEVICE void add_released(u32* to, u32 value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}

/// Reads such a number. Then by a barrier of the block all its threads may read what it tells of.
BITUNE_DEVICE u32 acquired(const u32* from) {
  u32 word;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
  return word;
}

}  // namespace bitune
