#pragma once

/// \file
/// Words as numbers of 64 bits in floating point. Apart from platform.cuh, since few kernels need it. Twins as there.

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated/doubles.cuh"
#else
#include "kernels/platform/cuda/doubles.cuh"
#endif
