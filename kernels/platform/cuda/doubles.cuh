#pragma once

/// \file
/// Words as numbers of 64 bits in floating point, on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

/// The number that has these bits. Bit patterns below 2^62 are positive finite numbers, which order as the patterns do.
BITUNE_DEVICE double double_of(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }
BITUNE_DEVICE u64 double_bits(double number) { return static_cast<u64>(__double_as_longlong(number)); }

/// Adds 1 to `count` if a < b. Compilers add first and select then.
BITUNE_DEVICE void add_if_less(u32& count, double a, double b) {
  asm("{ .reg .pred less; setp.lt.f64 less, %1, %2; @less add.u32 %0, %0, 1; }" : "+r"(count) : "d"(a), "d"(b));
}

}  // namespace bitune
