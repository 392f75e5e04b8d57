#pragma once

/// \file
/// The order of keys on the host: the reference that device results are held against.

#include <cstddef>
#include <cstdint>

#include "bitune/types.hpp"

namespace bitune {

/// Maps the bits of a key (in the low bits of `bits`) to an unsigned integer that orders as the key type
/// does. -0 is before +0 (NumPy takes them for equal), and NaN after all numbers: positive NaN by payload,
/// then negative NaN by falling payload. A bijection on the type's bits. It is written by cases, and the
/// kernels use arithmetic, so that one checks the other.
[[nodiscard]] std::uint64_t ordered_bits(KeyType type, std::uint64_t bits) noexcept;

/// Whether the keys are in order. `first_wrong`, if given, receives the first index i with key[i] > key[i +
/// 1].
[[nodiscard]] bool is_sorted(const void* keys, std::uint64_t n, KeyType type, Order order,
                             std::uint64_t* first_wrong = nullptr) noexcept;

}  // namespace bitune
