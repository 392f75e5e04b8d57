#pragma once

/// \file
/// Memory of a kernel on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

// --- Shared memory ---

template <typename T>
BITUNE_DEVICE T* shared_memory() {
  return reinterpret_cast<T*>(detail::self().shared);
}

BITUNE_DEVICE u32 shared_bytes() { return detail::self().shared_bytes; }

// --- Vector accesses ---

namespace detail {

template <u32 bytes>
BITUNE_DEVICE void check_access(const void* address) {
  static_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16,
                "a single access has 1, 2, 4, 8 or 16 bytes");
  if (reinterpret_cast<u64>(address) % bytes != 0) services->fail("made a vector access that is not aligned");
}

}  // namespace detail

template <typename T, u32 N>
BITUNE_DEVICE void load_vector(const T* from, T (&out)[N]) {
  detail::check_access<sizeof(out)>(from);
  __builtin_memcpy(out, from, sizeof(out));
}

template <typename T, u32 N>
BITUNE_DEVICE void load_vector_readonly(const T* from, T (&out)[N]) {
  load_vector(from, out);
}

template <typename T, u32 N>
BITUNE_DEVICE void store_vector(T* to, const T (&in)[N]) {
  detail::check_access<sizeof(in)>(to);
  __builtin_memcpy(to, in, sizeof(in));
}

// --- Asynchronous copies ---

template <typename T>
BITUNE_DEVICE void cp_async(T* shared_to, const T* global_from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  detail::check_access<sizeof(T)>(shared_to);
  detail::check_access<sizeof(T)>(global_from);
  *shared_to = *global_from;
}

BITUNE_DEVICE void cp_async_wait_all() {}

BITUNE_DEVICE void cp_async_end_group() {}

template <int groups>
BITUNE_DEVICE void cp_async_wait_but() {}

BITUNE_DEVICE void cp_async_16(void* shared_to, const void* global_from) {
  u32 words[4];
  load_vector(static_cast<const u32*>(global_from), words);
  store_vector(static_cast<u32*>(shared_to), words);
}

/// Reads, so that the sanitizer sees what is asked for.
BITUNE_DEVICE void prefetch_to_l2(const void* at) { *static_cast<const volatile char*>(at); }

// --- Atomics ---

BITUNE_DEVICE u32 atomic_add(u32* to, u32 value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
BITUNE_DEVICE u64 atomic_add(u64* to, u64 value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }

// --- Words between blocks ---

template <class Word>
BITUNE_DEVICE void publish(Word* to, Word word) {
  __atomic_store_n(to, word, __ATOMIC_RELAXED);
}
template <class Word>
BITUNE_DEVICE Word published(const Word* from) {
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}

// --- Work that other blocks wait for ---

BITUNE_DEVICE void add_released(u32* to, u32 value) { __atomic_fetch_add(to, value, __ATOMIC_RELEASE); }
BITUNE_DEVICE u32 acquired(const u32* from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }

}  // namespace bitune
