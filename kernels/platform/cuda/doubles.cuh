#pragma once

/// \file
/// Words as numbers in floating point, on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

/// The number that has these bits. Bit patterns below 2^62 are positive finite numbers, which order as the patterns do.
BITUNE_DEVICE double double_of(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }

/// The larger of two numbers, or NaN if one of them is; and the smaller one, or NaN if both are. -0 is smaller than 0.
BITUNE_DEVICE float larger_number(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
#else
  return a != a ? a : b != b ? b : fmaxf(a, b);
#endif
}
BITUNE_DEVICE float smaller_number(float a, float b) { return fminf(a, b); }

}  // namespace bitune
