#pragma once

/// \file
/// Macros, types and coordinates of a kernel on the emulated device. A barrier or a shuffle is a rendezvous of fibres, which the
/// emulator arranges; all else here is plain C++.

#include "kernels/platform/emulated/services.hpp"

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

// --- Coordinates ---

namespace detail {

/// Bound by the emulator when it loads the kernel.
inline const emulated::Services* services = nullptr;

/// The running thread. A kernel runs from beginning to end on one fibre, so that within it this is a constant.
__attribute__((const, noinline)) inline const emulated::ThreadCoordinates& self() { return *services->current(); }

}  // namespace detail

BITUNE_DEVICE u32 thread_index() { return detail::self().thread; }
BITUNE_DEVICE u32 block_index() { return detail::self().block; }
BITUNE_DEVICE u32 block_count() { return detail::self().block_count; }
BITUNE_DEVICE u32 block_size() { return detail::self().block_size; }
BITUNE_DEVICE u32 lane() { return detail::self().lane; }
BITUNE_DEVICE u32 warp_index() { return detail::self().warp; }

}  // namespace bitune
