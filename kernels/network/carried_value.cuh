#pragma once

// What goes with keys: values of a few widths, which are moved and never looked at, and indices.

#include "kernels/network/codec.cuh"

namespace bitune {

/// The type that something of `bytes` bytes is moved as. There is nothing of 0 bytes: its pointers are null.
template <int bytes>
struct CarriedValue {
  using Type = typename Storage<bytes>::Raw;
};
template <>
struct CarriedValue<0> {
  using Type = u8;
};
template <>
struct CarriedValue<16> {
  struct alignas(16) Type {
    u64 low, high;
  };
};

}  // namespace bitune
