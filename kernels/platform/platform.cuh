#pragma once

/// \file
/// All that is not plain C++ in a kernel: coordinates, barriers, shuffles, shared memory, vector accesses, clusters.
///
/// Two twins with one interface: the GPU's (NVRTC), and the emulated device's (the host's C++ compiler). No other header
/// of kernels/ uses an intrinsic, inline PTX or an architecture macro. Kernels are one-dimensional: grids and blocks
/// extend along x only, and lanes are counted along x.
///
/// Shared memory is dynamic only: shared_memory<T>() is its beginning, aligned to 16 bytes, and the launch says how
/// much there is.

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated.cuh"
#else
#include "kernels/platform/cuda.cuh"
#endif
