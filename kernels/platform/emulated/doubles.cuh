#pragma once

/// \file
/// Words as numbers in floating point, on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

BITUNE_DEVICE double double_of(u64 bits) {
  double number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}

BITUNE_DEVICE float larger_number(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a > b || a != a ? a : b;
}
BITUNE_DEVICE float smaller_number(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b || b != b ? a : b;
}

}  // namespace bitune
