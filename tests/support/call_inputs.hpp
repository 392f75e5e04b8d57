#pragma once

/// \file
/// What the calls of tests read.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bitune/types.hpp"
#include "measure/inputs.hpp"

namespace bitune::test {

/// The keys of all rows, one row behind the other: each has keys of its own.
inline std::vector<std::byte> keys_of_rows(const Problem& problem, Distribution distribution,
                                           std::uint64_t seed) {
  std::vector<std::byte> keys;
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    const std::vector<std::byte> of_row = make_keys(problem.key, problem.n, distribution, seed + row);
    keys.insert(keys.end(), of_row.begin(), of_row.end());
  }
  return keys;
}

/// Values to travel with keys.
inline std::vector<std::byte> random_bytes(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace bitune::test
