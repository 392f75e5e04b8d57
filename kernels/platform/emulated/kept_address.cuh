#pragma once

/// \file
/// The twin of cuda/kept_address.cuh for the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

template <class T>
BITUNE_DEVICE T* kept_address(T* address) {
  return address;
}

}  // namespace bitune
