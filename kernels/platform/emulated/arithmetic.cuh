#pragma once

/// \file
/// Arithmetic of a kernel on the emulated device.

#include "kernels/platform/emulated/base.cuh"

namespace bitune {

// --- Numbers ---

// Not rounded as IEEE 754 asks: for what is an estimate anyway.
BITUNE_DEVICE float approximate_square_root(float value) { return __builtin_sqrtf(value); }
BITUNE_DEVICE float approximate_quotient(float a, float b) { return a / b; }

BITUNE_DEVICE u32 truncated(float number) {
  if (!(number > 0)) return 0;
  return number < 4294967296.0f ? static_cast<u32>(number) : ~u32{0};
}

BITUNE_DEVICE u32 opaque(u32 number) { return number; }

BITUNE_DEVICE u32 bit_count(u32 bits) {
  u32 count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;  // __builtin_popcount asks for a library
  return count;
}

BITUNE_DEVICE u32 leading_zeros(u64 number) { return number == 0 ? 64 : static_cast<u32>(__builtin_clzll(number)); }
BITUNE_DEVICE void take_if_less(u32& count, u64 a, u64 b) { count -= a < b ? 1 : 0; }

BITUNE_DEVICE u32 bits_of(float number) {
  u32 bits;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  return bits;
}
BITUNE_DEVICE float float_of(u32 bits) {
  float number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}

BITUNE_DEVICE u32 unforeseen() { return 0; }
BITUNE_DEVICE u32 unforeseen_cycle() { return 0; }

BITUNE_DEVICE u32 kept(u32 number) { return number; }

// --- Minimum and maximum ---

template <typename T>
BITUNE_DEVICE T minimum(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
BITUNE_DEVICE T maximum(T a, T b) {
  return b < a ? a : b;
}

BITUNE_DEVICE float smaller_number(float a, float b) { return a < b || b != b ? a : b; }
BITUNE_DEVICE float larger_number(float a, float b) { return a > b || b != b ? a : b; }
BITUNE_DEVICE float larger_number_or_nan(float a, float b) { return a > b || a != a ? a : b; }

BITUNE_DEVICE u32 minimum_u16x2(u32 a, u32 b) {
  return minimum(a & 0xffff0000u, b & 0xffff0000u) | minimum(a & 0xffffu, b & 0xffffu);
}
BITUNE_DEVICE u32 maximum_u16x2(u32 a, u32 b) {
  return maximum(a & 0xffff0000u, b & 0xffff0000u) | maximum(a & 0xffffu, b & 0xffffu);
}

BITUNE_DEVICE u32 maximum_by_imad(u32 a, u32 b, u32 min) { return a + b - min; }
BITUNE_DEVICE u64 maximum_by_imad(u64 a, u64 b, u64 min) {
  const u32 low = static_cast<u32>(a) + static_cast<u32>(b) - static_cast<u32>(min);
  return ((a >> 32) + (b >> 32) - (min >> 32)) << 32 | low;
}

template <typename T>
BITUNE_DEVICE T plus_constant(T word, T constant) {
  return word + constant;
}

template <bool set, typename T>
BITUNE_DEVICE T invert_and_add(T bit, T word, T constant) {
  return (((word & bit) != 0) == set ? word ^ ~bit : word) + constant;
}

template <typename T>
BITUNE_DEVICE void move_if(bool condition, T& target, T value) {
  if (condition) target = value;
}

struct LaneChoice {
  bool is_first;

  BITUNE_DEVICE explicit LaneChoice(bool is_first_) : is_first(is_first_) {}
  template <typename T>
  BITUNE_DEVICE T operator()(T a, T b) const {
    return is_first ? a : b;
  }
};

BITUNE_DEVICE void make_maximum_if(bool condition, u32& low, u32 a, u32 b) {
  if (condition) low = a + b - low;
}

}  // namespace bitune
