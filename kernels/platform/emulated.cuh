#pragma once

/// \file
/// The platform of kernels on the emulated device: the twin of cuda.cuh, function by function. A barrier or a
/// shuffle is a rendezvous of fibres that the emulator arranges; all else is plain C++. See platform.cuh.

#include "kernels/platform/emulated_services.hpp"

/// `template <u32 nt> BITUNE_KERNEL(nt, 2) name(arguments) {...}`: a kernel of at most `max_threads` threads a block, of
/// which `min_blocks` blocks should fit an SM (0: no wish).
#define BITUNE_KERNEL(max_threads, min_blocks) void
#define BITUNE_DEVICE inline
#define BITUNE_UNROLL
#define BITUNE_UNROLL_N(n)

namespace bitune {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;

inline constexpr u32 warp_size = 32;
inline constexpr u32 all_lanes = 0xffffffffu;

namespace detail {

/// Bound by the emulator when it loads the kernel.
inline const emulated::Services* services = nullptr;

/// The running thread. A kernel runs from beginning to end on one fibre, so that within it this is a constant.
__attribute__((const, noinline)) inline const emulated::ThreadCoordinates& self() { return *services->current(); }

}  // namespace detail

// --- Coordinates ---

BITUNE_DEVICE u32 thread_index() { return detail::self().thread; }
BITUNE_DEVICE u32 block_index() { return detail::self().block; }
BITUNE_DEVICE u32 block_count() { return detail::self().block_count; }
BITUNE_DEVICE u32 block_size() { return detail::self().block_size; }
BITUNE_DEVICE u32 lane() { return detail::self().lane; }
BITUNE_DEVICE u32 warp_index() { return detail::self().warp; }

// --- Barriers and shuffles ---

/// Barrier of all threads of the block that have not returned; orders shared and global memory among them.
BITUNE_DEVICE void sync_block() { detail::services->sync_block(); }

/// Barrier of the block's threads [part * threads, (part + 1) * threads), whole warps; part is at most 14. Orders memory
/// among them.
BITUNE_DEVICE void sync_part(u32 part, u32 threads) { detail::services->sync_part(part, threads); }

/// Barrier of the lanes in `mask`; orders memory among them.
BITUNE_DEVICE void sync_warp(u32 mask = all_lanes) { detail::services->sync_warp(mask); }

/// The value that lane `source_lane` (modulo the warp's size) passes. All lanes of the warp take part.
template <typename T>
BITUNE_DEVICE T shuffle(T value, u32 source_lane) {
  static_assert(sizeof(T) <= 8);
  T received;
  detail::services->shuffle(&value, &received, sizeof(T), source_lane);
  return received;
}

/// The value that lane `lane() ^ lane_mask` passes. All lanes of the warp take part. T has at most 8 bytes.
template <typename T>
BITUNE_DEVICE T shuffle_xor(T value, u32 lane_mask) {
  return shuffle(value, lane() ^ lane_mask);
}

/// shuffle_xor of each of N values: the same as N calls, but one rendezvous on the emulated device.
template <typename T, u32 N>
BITUNE_DEVICE void shuffle_xor_each(const T (&values)[N], u32 lane_mask, T (&received)[N]) {
  detail::services->shuffle(values, received, sizeof(values), lane() ^ lane_mask);
}

/// The sum of each of N values over the warp, for all of its lanes.
template <class T, u32 N>
BITUNE_DEVICE void warp_sum_each(T (&values)[N]) {
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    T partner[N];
    shuffle_xor_each(values, distance, partner);
    for (u32 i = 0; i < N; ++i) values[i] += partner[i];
  }
}

// --- Arithmetic ---

// Not rounded as IEEE 754 asks: for what is an estimate anyway.
BITUNE_DEVICE float approximate_square_root(float value) { return __builtin_sqrtf(value); }
BITUNE_DEVICE float approximate_quotient(float a, float b) { return a / b; }

// --- Minimum and maximum ---

template <typename T>
BITUNE_DEVICE T minimum(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
BITUNE_DEVICE T maximum(T a, T b) {
  return b < a ? a : b;
}

/// Minimum of each of the two u16 in a and b.
BITUNE_DEVICE u32 minimum_u16x2(u32 a, u32 b) {
  return minimum(a & 0xffff0000u, b & 0xffff0000u) | minimum(a & 0xffffu, b & 0xffffu);
}
/// Maximum of each of the two u16 in a and b.
BITUNE_DEVICE u32 maximum_u16x2(u32 a, u32 b) {
  return maximum(a & 0xffff0000u, b & 0xffff0000u) | maximum(a & 0xffffu, b & 0xffffu);
}

/// maximum(a, b) as a + b - min, given min = minimum(a, b), modulo 2^32; of u16x2, too. 64-bit words: each half by itself.
BITUNE_DEVICE u32 maximum_by_imad(u32 a, u32 b, u32 min) { return a + b - min; }
BITUNE_DEVICE u64 maximum_by_imad(u64 a, u64 b, u64 min) {
  const u32 low = static_cast<u32>(a) + static_cast<u32>(b) - static_cast<u32>(min);
  return ((a >> 32) + (b >> 32) - (min >> 32)) << 32 | low;
}

/// The sum of a word and a constant.
template <typename T>
BITUNE_DEVICE T plus_constant(T word, T constant) {
  return word + constant;
}

/// The sum of a constant and the word, all of whose other bits are inverted where `bit` is as `set` says. What is above
/// `bit` is of no matter.
template <bool set, typename T>
BITUNE_DEVICE T invert_and_add(T bit, T word, T constant) {
  return (((word & bit) != 0) == set ? word ^ ~bit : word) + constant;
}

/// target = value where the condition holds.
template <typename T>
BITUNE_DEVICE void move_if(bool condition, T& target, T value) {
  if (condition) target = value;
}

/// The first of two words, or the second, by a condition that holds for many words.
struct LaneChoice {
  bool is_first;

  BITUNE_DEVICE explicit LaneChoice(bool is_first_) : is_first(is_first_) {}
  template <typename T>
  BITUNE_DEVICE T operator()(T a, T b) const {
    return is_first ? a : b;
  }
};

// --- Shared memory ---

/// The beginning of the block's dynamic shared memory, aligned to 16 bytes.
template <typename T>
BITUNE_DEVICE T* shared_memory() {
  return reinterpret_cast<T*>(detail::self().shared);
}

/// Bytes of dynamic shared memory that the launch gave the block.
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

/// Reads N values in a single access of 1, 2, 4, 8 or 16 bytes. `from` must be aligned to that size.
template <typename T, u32 N>
BITUNE_DEVICE void load_vector(const T* from, T (&out)[N]) {
  detail::check_access<sizeof(out)>(from);
  __builtin_memcpy(out, from, sizeof(out));
}

/// The same through the read-only path: global memory that no thread writes while the kernel runs.
template <typename T, u32 N>
BITUNE_DEVICE void load_vector_readonly(const T* from, T (&out)[N]) {
  load_vector(from, out);
}

/// Writes N values in a single access of 1, 2, 4, 8 or 16 bytes. `to` must be aligned to that size.
template <typename T, u32 N>
BITUNE_DEVICE void store_vector(T* to, const T (&in)[N]) {
  detail::check_access<sizeof(in)>(to);
  __builtin_memcpy(to, in, sizeof(in));
}

/// Copies 4 or 8 bytes from global to shared memory; both addresses are aligned to as much. Before the data is read:
/// cp_async_wait_all(), and a barrier for the other threads.
template <typename T>
BITUNE_DEVICE void cp_async(T* shared_to, const T* global_from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  detail::check_access<sizeof(T)>(shared_to);
  detail::check_access<sizeof(T)>(global_from);
  *shared_to = *global_from;
}

/// Waits for all copies that this thread has started.
BITUNE_DEVICE void cp_async_wait_all() {}

// --- Atomics ---

/// Adds to a number in global memory; returns what was there before. Relaxed order.
BITUNE_DEVICE u32 atomic_add(u32* to, u32 value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
BITUNE_DEVICE u64 atomic_add(u64* to, u64 value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }

// --- Clusters ---

/// Index of this block in its cluster.
BITUNE_DEVICE u32 cluster_rank() { return detail::self().cluster_rank; }

/// Number of blocks in this block's cluster; 1 in a launch without clusters.
BITUNE_DEVICE u32 cluster_size() { return detail::self().cluster_size; }

/// Barrier of all threads of the cluster; orders their memory, distributed shared memory too. No block may return while
/// another still reads its shared memory: end such a kernel with this.
BITUNE_DEVICE void sync_cluster() { detail::services->sync_cluster(); }

/// The address, in block `rank` of the cluster, of what `local` is in this block's shared memory.
template <typename T>
BITUNE_DEVICE T* shared_of_rank(T* local, u32 rank) {
  const auto offset = reinterpret_cast<const unsigned char*>(local) - detail::self().shared;
  return reinterpret_cast<T*>(detail::services->shared_of_rank(rank) + offset);
}

// --- Dependent launches: here each launch ends before the next begins ---

BITUNE_DEVICE void allow_next_launch() {}
BITUNE_DEVICE void wait_for_previous_launch() {}

// --- The grid ---

/// Barrier of all threads of a cooperative launch; orders global memory among them. `barrier_state` is one u32 in
/// global memory that was zeroed once, before its first use in any launch.
BITUNE_DEVICE void sync_grid(u32* barrier_state) { detail::services->sync_grid(barrier_state); }

}  // namespace bitune
