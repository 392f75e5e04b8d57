#pragma once

/// \file
/// The order of each key type as a template, for code that runs over many keys on the host.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "bitune/types.hpp"

namespace bitune::key_orders {

/// An order of keys. `encode` maps a key's bits to its place among all bit patterns of the type. `decode`
/// maps a place back to the bits.
template <class U>
struct UnsignedOrder {
  using Bits = U;
  static constexpr U encode(U bits) { return bits; }
  static constexpr U decode(U place) { return place; }
};

template <class U>
struct SignedOrder {
  using Bits = U;
  static constexpr U negatives = static_cast<U>(U{1} << (8 * sizeof(U) - 1));  // as many as there are others
  static constexpr U encode(U bits) {
    return bits < negatives ? static_cast<U>(bits + negatives) : static_cast<U>(bits - negatives);
  }
  static constexpr U decode(U place) { return encode(place); }
};

/// Places run: -inf .. -0, +0 .. +inf, positive NaN by payload, negative NaN by falling payload.
template <class U, U infinity>
struct FloatOrder {
  using Bits = U;
  static constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  static constexpr U numbers = static_cast<U>(infinity + 1);  // of one sign
  static constexpr U nans = static_cast<U>(sign - numbers);   // of one sign
  static constexpr U first_nan = static_cast<U>(2 * numbers);

  static constexpr U encode(U bits) {
    const bool negative = bits >= sign;
    const U magnitude = negative ? static_cast<U>(bits - sign) : bits;
    if (magnitude > infinity) {
      const U payload = static_cast<U>(magnitude - numbers);
      return static_cast<U>(first_nan + (negative ? nans + (nans - 1 - payload) : payload));
    }
    return negative ? static_cast<U>(infinity - magnitude) : static_cast<U>(numbers + magnitude);
  }
  static constexpr U decode(U place) {
    if (place < numbers) return static_cast<U>(sign + (infinity - place));
    if (place < first_nan) return static_cast<U>(place - numbers);
    const U nan = static_cast<U>(place - first_nan);
    return nan < nans ? static_cast<U>(numbers + nan)
                      : static_cast<U>(sign + numbers + (nans - 1 - (nan - nans)));
  }
};

/// Calls `function` with the order of the key type.
template <class Function>
auto with_order(KeyType type, Function&& function) {
  switch (type) {
    case KeyType::u8:
      return function(UnsignedOrder<std::uint8_t>{});
    case KeyType::i8:
      return function(SignedOrder<std::uint8_t>{});
    case KeyType::u16:
      return function(UnsignedOrder<std::uint16_t>{});
    case KeyType::i16:
      return function(SignedOrder<std::uint16_t>{});
    case KeyType::f16:
      return function(FloatOrder<std::uint16_t, 0x7c00>{});
    case KeyType::bf16:
      return function(FloatOrder<std::uint16_t, 0x7f80>{});
    case KeyType::u32:
      return function(UnsignedOrder<std::uint32_t>{});
    case KeyType::i32:
      return function(SignedOrder<std::uint32_t>{});
    case KeyType::f32:
      return function(FloatOrder<std::uint32_t, 0x7f800000>{});
    case KeyType::u64:
      return function(UnsignedOrder<std::uint64_t>{});
    case KeyType::i64:
      return function(SignedOrder<std::uint64_t>{});
    case KeyType::f64:
      break;
  }
  return function(FloatOrder<std::uint64_t, 0x7ff0000000000000>{});
}

/// The caller's array may hold floats and need not be aligned, so that it is only touched through memcpy.
template <class U>
U load(const std::byte* keys, std::uint64_t i) {
  U value;
  std::memcpy(&value, keys + i * sizeof(U), sizeof(U));
  return value;
}

template <class U>
void store(std::byte* keys, std::uint64_t i, U value) {
  std::memcpy(keys + i * sizeof(U), &value, sizeof(U));
}

/// Descending is the exact reverse: places counted from the other end.
template <class KeyOrder, class U = typename KeyOrder::Bits>
U encode(U bits, bool descending) {
  const U place = KeyOrder::encode(bits);
  return descending ? static_cast<U>(~place) : place;
}

template <class KeyOrder, class U = typename KeyOrder::Bits>
U decode(U place, bool descending) {
  return KeyOrder::decode(descending ? static_cast<U>(~place) : place);
}

/// Where a key belongs among all keys of its type. Equal places: equal keys. Where something travels with
/// the keys, all NaNs are equal.
template <class KeyOrder>
class Places {
 public:
  using Place = typename KeyOrder::Bits;

  Places(bool descending, bool equal_nans) noexcept : flip_(descending ? all : Place{0}) {
    if constexpr (requires { KeyOrder::first_nan; }) {
      if (equal_nans) last_ = KeyOrder::first_nan;
    }
  }
  [[nodiscard]] Place operator()(Place bits) const noexcept {
    return static_cast<Place>(std::min(KeyOrder::encode(bits), last_) ^ flip_);
  }

 private:
  static constexpr Place all = std::numeric_limits<Place>::max();
  Place last_ = all;
  Place flip_;
};

}  // namespace bitune::key_orders
