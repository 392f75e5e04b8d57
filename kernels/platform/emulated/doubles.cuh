#pragma once

/// \file
/// Words as numbers of 64 bits in floating point, on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

BITUNE_DEVICE double double_of(u64 bits) {
  double number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}

BITUNE_DEVICE u64 double_bits(double number) {
  u64 bits;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  return bits;
}

BITUNE_DEVICE void add_if_less(u32& count, double a, double b) { count += a < b ? 1 : 0; }

}  // namespace bitune
