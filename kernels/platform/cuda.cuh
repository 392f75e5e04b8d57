#pragma once

/// \file
/// The platform of kernels on a GPU. NVRTC compiles it without any standard header. See platform.cuh.

/// `template <u32 nt> BITUNE_KERNEL(nt, 2) name(arguments) {...}`: a kernel of at most `max_threads` threads a block, of
/// which `min_blocks` blocks should fit an SM (0: no wish).
#define BITUNE_KERNEL(max_threads, min_blocks) __global__ void __launch_bounds__(max_threads, min_blocks)
#define BITUNE_DEVICE __device__ __forceinline__
#define BITUNE_PRAGMA(text) _Pragma(#text)
#define BITUNE_UNROLL BITUNE_PRAGMA(unroll)
#define BITUNE_UNROLL_N(n) BITUNE_PRAGMA(unroll n)

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

// --- Coordinates ---

BITUNE_DEVICE u32 thread_index() { return threadIdx.x; }
BITUNE_DEVICE u32 block_index() { return blockIdx.x; }
BITUNE_DEVICE u32 block_count() { return gridDim.x; }
BITUNE_DEVICE u32 block_size() { return blockDim.x; }
BITUNE_DEVICE u32 lane() { return threadIdx.x % warp_size; }
BITUNE_DEVICE u32 warp_index() { return threadIdx.x / warp_size; }

// --- Barriers and shuffles ---

/// Barrier of all threads of the block that have not returned; orders shared and global memory among them.
BITUNE_DEVICE void sync_block() { __syncthreads(); }

/// Barrier of the block's threads [part * threads, (part + 1) * threads), whole warps; part is at most 14. Orders memory
/// among them.
BITUNE_DEVICE void sync_part(u32 part, u32 threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(part + 1), "r"(threads) : "memory");
}

/// Barrier of the lanes in `mask`; orders memory among them.
BITUNE_DEVICE void sync_warp(u32 mask = all_lanes) { __syncwarp(mask); }

/// The value that lane `lane() ^ lane_mask` passes. All lanes of the warp take part. T has at most 8 bytes.
template <typename T>
BITUNE_DEVICE T shuffle_xor(T value, u32 lane_mask) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__shfl_xor_sync(all_lanes, static_cast<u64>(value), static_cast<int>(lane_mask)));
  } else {
    return static_cast<T>(__shfl_xor_sync(all_lanes, static_cast<u32>(value), static_cast<int>(lane_mask)));
  }
}

/// The value that lane `source_lane` (modulo the warp's size) passes. All lanes of the warp take part.
template <typename T>
BITUNE_DEVICE T shuffle(T value, u32 source_lane) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__shfl_sync(all_lanes, static_cast<u64>(value), static_cast<int>(source_lane)));
  } else {
    return static_cast<T>(__shfl_sync(all_lanes, static_cast<u32>(value), static_cast<int>(source_lane)));
  }
}

/// shuffle_xor of each of N values: the same as N calls, but one rendezvous on the emulated device.
template <typename T, u32 N>
BITUNE_DEVICE void shuffle_xor_each(const T (&values)[N], u32 lane_mask, T (&received)[N]) {
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) received[i] = shuffle_xor(values[i], lane_mask);
}

/// The sum of each of N values over the warp, for all of its lanes.
template <u32 N>
BITUNE_DEVICE void warp_sum_each(u32 (&values)[N]) {
  BITUNE_UNROLL
  for (u32 i = 0; i < N; ++i) {
#if __CUDA_ARCH__ >= 800
    values[i] = __reduce_add_sync(all_lanes, values[i]);
#else
    BITUNE_UNROLL
    for (u32 distance = 1; distance < warp_size; distance *= 2) values[i] += shuffle_xor(values[i], distance);
#endif
  }
}

template <u32 N>
BITUNE_DEVICE void warp_sum_each(float (&values)[N]) {
  BITUNE_UNROLL
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    BITUNE_UNROLL
    for (u32 i = 0; i < N; ++i) values[i] += __shfl_xor_sync(all_lanes, values[i], static_cast<int>(distance));
  }
}

// --- Arithmetic ---

// Not rounded as IEEE 754 asks: for what is an estimate anyway.
BITUNE_DEVICE float approximate_square_root(float value) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}
BITUNE_DEVICE float approximate_quotient(float a, float b) { return __fdividef(a, b); }

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
BITUNE_DEVICE u32 minimum_u16x2(u32 a, u32 b) { return __vminu2(a, b); }
/// Maximum of each of the two u16 in a and b.
BITUNE_DEVICE u32 maximum_u16x2(u32 a, u32 b) { return __vmaxu2(a, b); }

// Minimum, maximum and selection all go through the ALU pipe, which bounds every kernel here; multiply-adds have a pipe of their
// own, idle otherwise. Their factors are 1 and -1 in a form that the compiler does not see through: known ones would make
// additions and selections of them, on the busy pipe again, and uniform ones would be loaded again before every use.
namespace detail {
BITUNE_DEVICE u32 one() {
  u32 own_lane;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(own_lane));
  return __popc(own_lane);
}
BITUNE_DEVICE u32 minus_one() {
  u32 lanes_below;
  u32 lanes_from_own;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes_below));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(lanes_from_own));
  return lanes_below | lanes_from_own;
}
}  // namespace detail

/// maximum(a, b) as a + b - min, given min = minimum(a, b): two multiply-adds. Of u16x2, too: what one half borrows or carries
/// the other gives back.
BITUNE_DEVICE u32 maximum_by_imad(u32 a, u32 b, u32 min) {
  return min * detail::minus_one() + (a * detail::one() + b);
}
BITUNE_DEVICE u64 maximum_by_imad(u64 a, u64 b, u64 min) {  // both halves are those of a or of b: each gives its other one
  const u32 low = maximum_by_imad(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(min));
  const u32 high = maximum_by_imad(static_cast<u32>(a >> 32), static_cast<u32>(b >> 32), static_cast<u32>(min >> 32));
  return u64{high} << 32 | low;
}

/// The sum of a word and a constant.
BITUNE_DEVICE u32 plus_constant(u32 word, u32 constant) { return word * detail::one() + constant; }
BITUNE_DEVICE u64 plus_constant(u64 word, u64 constant) { return word + constant; }

/// The sum of a constant and the word, all of whose other bits are inverted where `bit` is as `set` says. To invert is to subtract
/// from -1: two multiply-adds, one of them under a predicate. What is above `bit` is of no matter.
template <bool set>
BITUNE_DEVICE u32 invert_and_add(u32 bit, u32 word, u32 constant) {
#define BITUNE_INVERT_AND_ADD(comparison)                                      \
  asm("{.reg .pred p; .reg .u32 of_bit; mad.lo.u32 %0, %1, %3, %5;"            \
      " and.b32 of_bit, %1, %2; setp." comparison ".u32 p, of_bit, 0; @p mad.lo.u32 %0, %1, %4, %6;}" \
      : "=&r"(result)                                                          \
      : "r"(word), "r"(bit), "r"(detail::one()), "r"(detail::minus_one()), "r"(constant), "r"(constant + bit - 1))
  u32 result;
  if constexpr (set) {
    BITUNE_INVERT_AND_ADD("ne");
  } else {
    BITUNE_INVERT_AND_ADD("eq");
  }
#undef BITUNE_INVERT_AND_ADD
  return result;
}
template <bool set>
BITUNE_DEVICE u64 invert_and_add(u64 bit, u64 word, u64 constant) {
  u64 of_bit;
  asm("shr.s64 %0, %1, 63;" : "=l"(of_bit) : "l"(word << __clzll(static_cast<i64>(bit))));
  return (word ^ (of_bit & ~bit) ^ (set ? 0 : ~bit)) + constant;
}

/// target = value where the condition holds: a multiply-add under a predicate, which has to differ between calls; else a
/// selection becomes of it (LaneChoice).
BITUNE_DEVICE void move_if(bool condition, u32& target, u32 value) {
  asm("{.reg .pred p; setp.ne.u32 p, %2, 0; @p mad.lo.u32 %0, %1, %3, 0;}"
      : "+r"(target)
      : "r"(value), "r"(static_cast<u32>(condition)), "r"(detail::one()));
}
BITUNE_DEVICE void move_if(bool condition, u64& target, u64 value) {
  u32 low = static_cast<u32>(target);
  u32 high = static_cast<u32>(target >> 32);
  move_if(condition, low, static_cast<u32>(value));
  move_if(condition, high, static_cast<u32>(value >> 32));
  target = u64{high} << 32 | low;
}

/// The first of two words, or the second, by a condition that holds for many words: their products with 1 and 0 added up.
struct LaneChoice {
  u32 first;
  u32 second;

  BITUNE_DEVICE explicit LaneChoice(bool is_first) {
    asm("mov.u32 %0, %1;" : "=r"(first) : "r"(static_cast<u32>(is_first)));
    asm("mov.u32 %0, %1;" : "=r"(second) : "r"(static_cast<u32>(!is_first)));
  }
  /// Word: 4 bytes that convert to and from u32, or u64.
  template <typename Word>
  BITUNE_DEVICE Word operator()(Word a, Word b) const {
    if constexpr (sizeof(Word) == 8) {
      const u32 low = (*this)(static_cast<u32>(a), static_cast<u32>(b));
      return u64{(*this)(static_cast<u32>(a >> 32), static_cast<u32>(b >> 32))} << 32 | low;
    } else {
      return static_cast<Word>(static_cast<u32>(a) * first + static_cast<u32>(b) * second);
    }
  }
};

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

// --- Atomics ---

/// Adds to a number in global memory; returns what was there before. Relaxed order.
BITUNE_DEVICE u32 atomic_add(u32* to, u32 value) { return atomicAdd(to, value); }
BITUNE_DEVICE u64 atomic_add(u64* to, u64 value) { return atomicAdd(to, value); }

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

// --- Dependent launches (sm_90 on; before that each launch begins when the one before it has ended) ---

/// Lets the stream's next launch begin, if it was launched as a dependent one: its blocks then wait for this launch to end
/// in wait_for_previous_launch().
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

// --- The grid ---

/// Barrier of all threads of a cooperative launch; orders global memory among them. `barrier_state` is one u32 in
/// global memory that was zeroed once, before its first use in any launch: each barrier adds exactly 2^31 to it, so that
/// its top bit tells the generation and the bits below are zero again.
BITUNE_DEVICE void sync_grid(u32* barrier_state) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 generation_bit = 0x80000000u;
    const u32 arrival = blockIdx.x == 0 ? generation_bit - (gridDim.x - 1) : 1;
    u32 before;
    asm volatile("fence.acq_rel.gpu;\natom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(barrier_state)), "r"(arrival)
                 : "memory");
    u32 now;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(now)
                   : "l"(__cvta_generic_to_global(barrier_state))
                   : "memory");
    } while (((now ^ before) & generation_bit) == 0);
  }
  __syncthreads();
}

}  // namespace bitune
