#pragma once

/// \file
/// An address that stays in registers, on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

/// The same address of global memory, which the compiler keeps. Else it adds up its parts again for each access behind it. Not of shared
/// memory: the compiler would not know any more that it is there.
template <class T>
BITUNE_DEVICE T* kept_address(T* address) {
  asm("" : "+l"(address));
  return address;
}

}  // namespace bitune
