#pragma once

/// \file
/// What kernels with two words of 16 bits a register need besides packed minimum and maximum: a part of the platform (platform.cuh).

#include "kernels/platform/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// Makes the minimum of each half of a and b, `low`, their maximum where the condition holds: a + b - low.
BITUNE_DEVICE void make_maximum_if(bool condition, u32& low, u32 a, u32 b) {
  if (condition) low = a + b - low;
}

#else

/// The subtraction is a multiply-add under the predicate, so that no move follows.
BITUNE_DEVICE void make_maximum_if(bool condition, u32& low, u32 a, u32 b) {
  asm("{.reg .pred p; setp.ne.u32 p, %1, 0; @p mad.lo.u32 %0, %0, %2, %3;}"
      : "+r"(low)
      : "r"(static_cast<u32>(condition)), "r"(detail::minus_one()), "r"(a * detail::one() + b));
}

#endif

}  // namespace bitune
