#pragma once

/// \file
/// Three words at once, on a GPU.

#include "kernels/platform/cuda/arithmetic.cuh"

namespace bitune {

/// The word between the smallest and the largest of three: their sum less these two. It takes an addition of three words, and two
/// multiply-adds, which have a pipe of their own (maximum_by_imad).
BITUNE_DEVICE u32 middle_of_three(u32 a, u32 b, u32 c, u32 min, u32 max) {
  return max * detail::minus_one() + (min * detail::minus_one() + (a + b + c));
}

}  // namespace bitune
