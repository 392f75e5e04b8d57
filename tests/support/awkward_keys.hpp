#pragma once

/// \file
/// Keys of any type as bits, and those where orders go wrong.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "model/key_type.hpp"

namespace bitune::testing_support {

inline std::uint64_t mask_of(KeyType type) { return ~std::uint64_t{0} >> (64 - 8 * size_of(type)); }

inline std::uint64_t bits_at(const std::vector<std::byte>& keys, std::uint64_t i, KeyType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, keys.data() + i * size_of(type),
              size_of(type));  // little-endian hosts only, as the kernels
  return bits;
}

inline std::vector<std::byte> packed(const std::vector<std::uint64_t>& bits, KeyType type) {
  std::vector<std::byte> keys(bits.size() * size_of(type));
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(keys.data() + i * size_of(type), &bits[i], size_of(type));
  return keys;
}

/// Bit patterns where orders go wrong: ends of ranges, both zeros, infinities, NaN of both signs, and random
/// ones.
inline std::vector<std::uint64_t> awkward_bits(KeyType type, std::size_t count, unsigned seed) {
  const std::uint64_t mask = mask_of(type);
  const std::uint64_t sign = mask ^ (mask >> 1);
  std::vector<std::uint64_t> bits = {0, 1, sign - 1, sign, sign + 1, mask - 1, mask};
  for (const std::uint64_t infinity : {std::uint64_t{0x7c00}, std::uint64_t{0x7f80},
                                       std::uint64_t{0x7f800000}, std::uint64_t{0x7ff0000000000000}}) {
    for (const std::uint64_t near : {infinity - 1, infinity, infinity + 1}) {
      bits.push_back(near & mask);
      bits.push_back((near | sign) & mask);
    }
  }
  std::mt19937_64 random(seed);
  while (bits.size() < count) bits.push_back(random() & mask);
  bits.resize(count);
  std::shuffle(bits.begin(), bits.end(), random);
  return bits;
}

}  // namespace bitune::testing_support
