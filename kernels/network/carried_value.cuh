#pragma once

// What goes with keys: values of a few widths, which are moved and never looked at, and indices.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// The type that something of `bytes` bytes is moved as. There is nothing of 0 bytes: its pointers are null.
template <int bytes>
struct CarriedValue;
template <>
struct CarriedValue<0> {
  using Type = u8;
};
template <>
struct CarriedValue<1> {
  using Type = u8;
};
template <>
struct CarriedValue<2> {
  using Type = u16;
};
template <>
struct CarriedValue<4> {
  using Type = u32;
};
template <>
struct CarriedValue<8> {
  using Type = u64;
};
template <>
struct CarriedValue<16> {
  struct alignas(16) Type {
    u64 low, high;
  };
};

}  // namespace bitune
