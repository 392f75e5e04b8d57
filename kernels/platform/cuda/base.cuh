#pragma once

/// \file
/// Macros, types and coordinates of a kernel on a GPU. NVRTC compiles all of this without any standard header.

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

BITUNE_DEVICE u32 thread_index() { return threadIdx.x; }
BITUNE_DEVICE u32 block_index() { return blockIdx.x; }
BITUNE_DEVICE u32 block_count() { return gridDim.x; }
BITUNE_DEVICE u32 block_size() { return blockDim.x; }
BITUNE_DEVICE u32 lane() { return threadIdx.x % warp_size; }
BITUNE_DEVICE u32 warp_index() { return threadIdx.x / warp_size; }

}  // namespace bitune
