#pragma once

/// \file
/// All that is not plain C++ in a kernel: coordinates, barriers, shuffles, shared memory, vector accesses, clusters.
///
/// Two twins have one interface: cuda/ for a GPU (NVRTC), emulated/ for the emulated device (the host's C++ compiler). The
/// files of cuda/ say what each function does. No header outside of these uses an intrinsic, inline PTX or an architecture macro.
///
/// Kernels are one-dimensional: grids and blocks extend along x only, and lanes are counted along x. Shared memory is dynamic only:
/// shared_memory<T>() is where it begins, aligned to 16 bytes, and the launch says how much there is.

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated/arithmetic.cuh"
#include "kernels/platform/emulated/base.cuh"
#include "kernels/platform/emulated/launch.cuh"
#include "kernels/platform/emulated/memory.cuh"
#include "kernels/platform/emulated/warp.cuh"
#else
#include "kernels/platform/cuda/arithmetic.cuh"
#include "kernels/platform/cuda/base.cuh"
#include "kernels/platform/cuda/launch.cuh"
#include "kernels/platform/cuda/memory.cuh"
#include "kernels/platform/cuda/warp.cuh"
#endif
