#pragma once

/// \file
/// Votes of a warp, a number that nobody foresees, the bits of a float, copies of 16 bytes: a part of the platform (platform.cuh) that
/// few kernels need.

#include "kernels/platform/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// Whether the condition holds for all lanes of the warp; all of them take part.
BITUNE_DEVICE bool all_of_warp(bool condition) {
  u32 misses[1] = {condition ? 0u : 1u};
  warp_sum_each(misses);
  return misses[0] == 0;
}

/// The lanes of the warp that have the same value, bit by bit; all lanes take part.
BITUNE_DEVICE u32 lanes_alike(u32 value) {
  u32 alike = 0;
  for (u32 distance = 0; distance < warp_size; ++distance) {
    if (shuffle_xor(value, distance) == value) alike |= u32{1} << (lane() ^ distance);
  }
  return alike;
}

/// How many bits are 1.
BITUNE_DEVICE u32 bit_count(u32 bits) {
  u32 count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;  // __builtin_popcount asks for a library
  return count;
}

/// A number that nobody who chose the keys knows. On the emulated device it is always the same, so that runs can be repeated.
BITUNE_DEVICE u32 unforeseen() { return 0; }

/// The bits of a number, and the number of these bits.
BITUNE_DEVICE u32 bits_of(float number) {
  u32 bits;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  return bits;
}
BITUNE_DEVICE float float_of(u32 bits) {
  float number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}

/// As cp_async, of 16 bytes, to which both addresses are aligned.
BITUNE_DEVICE void cp_async_16(void* shared_to, const void* global_from) {
  u32 words[4];
  load_vector(static_cast<const u32*>(global_from), words);
  store_vector(static_cast<u32*>(shared_to), words);
}

#else

BITUNE_DEVICE bool all_of_warp(bool condition) { return __all_sync(all_lanes, condition); }

BITUNE_DEVICE u32 lanes_alike(u32 value) { return __match_any_sync(all_lanes, value); }

BITUNE_DEVICE u32 bit_count(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }

BITUNE_DEVICE u32 unforeseen() {
  u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return static_cast<u32>(nanoseconds) * 0x9e3779b9u ^ static_cast<u32>(clock64());
}

BITUNE_DEVICE u32 bits_of(float number) { return __float_as_uint(number); }
BITUNE_DEVICE float float_of(u32 bits) { return __uint_as_float(bits); }

BITUNE_DEVICE void cp_async_16(void* shared_to, const void* global_from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(shared_to))), "l"(global_from)
               : "memory");
#else
  *static_cast<uint4*>(shared_to) = *static_cast<const uint4*>(global_from);
#endif
}

#endif

/// As cp_async, of one key of any size: a small one is copied at once.
template <class Raw>
BITUNE_DEVICE void copy_to_shared(Raw* shared_to, const Raw* global_from) {
  if constexpr (sizeof(Raw) >= 4) {
    cp_async(shared_to, global_from);
  } else {
    *shared_to = *global_from;
  }
}

}  // namespace bitune
