#include "model/key_order.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "model/key_type.hpp"

namespace bitune {
namespace {

// An order of keys: `encode` maps a key's bits to its place among all bit patterns of the type, `decode` maps
// it back.
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

// Places run: -inf .. -0, +0 .. +inf, positive NaN by payload, negative NaN by falling payload.
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

// Calls `function` with the order of the key type.
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

// The caller's array may hold floats and need not be aligned, so that it is only touched through memcpy.
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

// Descending is the exact reverse: places counted from the other end.
template <class KeyOrder, class U = typename KeyOrder::Bits>
U encode(U bits, bool descending) {
  const U place = KeyOrder::encode(bits);
  return descending ? static_cast<U>(~place) : place;
}

template <class KeyOrder, class U = typename KeyOrder::Bits>
U decode(U place, bool descending) {
  return KeyOrder::decode(descending ? static_cast<U>(~place) : place);
}

// 8 and 16 bits: counts every key and writes them out.
template <class KeyOrder>
void counting_sort(std::byte* keys, std::uint64_t n, bool descending) {
  using U = typename KeyOrder::Bits;
  std::vector<std::uint64_t> counts(std::size_t{std::numeric_limits<U>::max()} + 1);
  for (std::uint64_t i = 0; i < n; ++i) ++counts[encode<KeyOrder>(load<U>(keys, i), descending)];
  std::uint64_t i = 0;
  for (std::size_t place = 0; place < counts.size(); ++place) {
    const U key = decode<KeyOrder>(static_cast<U>(place), descending);
    for (std::uint64_t count = counts[place]; count > 0; --count) store(keys, i++, key);
  }
}

// Calls work(part, begin, end) for equal parts of [0, n), each on a thread of its own.
template <class Work>
void in_parts(std::uint64_t n, unsigned parts, const Work& work) {
  std::vector<std::jthread> threads;
  for (unsigned part = 1; part < parts; ++part) {
    threads.emplace_back(work, part, n * part / parts, n * (part + 1) / parts);
  }
  work(0, std::uint64_t{0}, n / parts);
}

// 32 and 64 bits: digits of 8 bits from the least significant on; a digit that all keys share is not sorted
// by. A part's keys of a digit go behind those of the parts before it.
template <class KeyOrder>
void radix_sort(std::byte* keys, std::uint64_t n, bool descending, unsigned threads) {
  using U = typename KeyOrder::Bits;
  constexpr std::uint64_t keys_per_thread = std::uint64_t{1} << 16;
  const auto parts = static_cast<unsigned>(std::clamp<std::uint64_t>(n / keys_per_thread, 1, threads));
  const auto other = std::make_unique_for_overwrite<std::byte[]>(n * sizeof(U));
  std::byte* from = keys;
  std::byte* to = other.get();
  in_parts(n, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      store(keys, i, encode<KeyOrder>(load<U>(keys, i), descending));
  });
  std::vector<std::array<std::uint64_t, 256>> places(parts);  // of the next key of a part with a digit
  for (unsigned shift = 0; shift < 8 * sizeof(U); shift += 8) {
    const auto digit = [&](std::uint64_t i) { return (load<U>(from, i) >> shift) & 0xff; };
    in_parts(n, parts, [&](unsigned part, std::uint64_t begin, std::uint64_t end) {
      places[part].fill(0);
      for (std::uint64_t i = begin; i < end; ++i) ++places[part][digit(i)];
    });
    std::uint64_t alike = 0;
    for (const auto& of_part : places) alike += of_part[digit(0)];
    if (alike == n) continue;
    std::uint64_t sum = 0;
    for (std::size_t value = 0; value < 256; ++value) {
      for (auto& of_part : places) sum += std::exchange(of_part[value], sum);
    }
    in_parts(n, parts, [&](unsigned part, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) store(to, places[part][digit(i)]++, load<U>(from, i));
    });
    std::swap(from, to);
  }
  in_parts(n, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      store(keys, i, decode<KeyOrder>(load<U>(from, i), descending));
  });
}

// Short arrays, for which the counts of the others are more work than the keys.
template <class KeyOrder>
constexpr std::size_t short_array = sizeof(typename KeyOrder::Bits) == 2 ? 2048 : 256;

template <class KeyOrder>
void short_sort(std::byte* keys, std::uint64_t n, bool descending) {
  using U = typename KeyOrder::Bits;
  std::array<U, short_array<KeyOrder>> places;
  for (std::uint64_t i = 0; i < n; ++i) places[i] = encode<KeyOrder>(load<U>(keys, i), descending);
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::uint64_t i = 0; i < n; ++i) store(keys, i, decode<KeyOrder>(places[i], descending));
}

}  // namespace

std::uint64_t ordered_bits(KeyType type, std::uint64_t bits) noexcept {
  return with_order(type, [bits](auto order) -> std::uint64_t {
    return decltype(order)::encode(static_cast<typename decltype(order)::Bits>(bits));
  });
}

void reference_sort(void* keys, std::uint64_t n, KeyType type, Order order, unsigned threads) {
  if (n < 2) return;
  with_order(type, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    if (n <= short_array<KeyOrder>) {
      short_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending);
    } else if constexpr (sizeof(typename KeyOrder::Bits) <= 2) {
      counting_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending);
    } else {
      radix_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending,
                           std::max(threads, 1u));
    }
  });
}

bool is_sorted(const void* keys, std::uint64_t n, KeyType type, Order order,
               std::uint64_t* first_wrong) noexcept {
  return with_order(type, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    using U = typename KeyOrder::Bits;
    const auto* bytes = static_cast<const std::byte*>(keys);
    const bool descending = order == Order::descending;
    for (std::uint64_t i = 0; i + 1 < n; ++i) {
      if (encode<KeyOrder>(load<U>(bytes, i), descending) >
          encode<KeyOrder>(load<U>(bytes, i + 1), descending)) {
        if (first_wrong != nullptr) *first_wrong = i;
        return false;
      }
    }
    return true;
  });
}

}  // namespace bitune
