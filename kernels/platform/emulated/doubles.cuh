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

}  // namespace bitune
