#pragma once

// Random places, for samples.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// A place in [0, width) for sample i; which one, nobody can foresee.
BITUNE_DEVICE u64 random_place(u32 i, u64 width) {
  u32 x = unforeseen() + i * 0x85ebca6bu;  // then the finaliser of MurmurHash3 (A. Appleby, public domain)
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  x ^= x >> 16;
  return x * width >> 32;
}

}  // namespace bitune
