#pragma once

/// \file
/// The twin of cuda/three_words.cuh for the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

BITUNE_DEVICE u32 middle_of_three(u32 a, u32 b, u32 c, u32 min, u32 max) { return a + b + c - min - max; }

}  // namespace bitune
