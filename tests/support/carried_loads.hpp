#pragma once

/// \file
/// What travels with keys in the tests of emulated kernels, and problems with it.

#include <array>
#include <cstdint>

#include "measure/inputs.hpp"
#include "model/problem.hpp"

namespace bitune::test {

/// What travels with keys.
struct Load {
  Operation operation;
  std::uint32_t value_bytes;
  std::uint32_t index_bytes;
};

inline constexpr std::array all_loads = {
    Load{Operation::sort_pairs, 1, 0}, Load{Operation::argsort, 0, 4},     Load{Operation::sort_pairs, 2, 0},
    Load{Operation::sort_pairs, 4, 0}, Load{Operation::sort, 0, 8},        Load{Operation::sort_pairs, 8, 0},
    Load{Operation::argsort, 0, 8},    Load{Operation::sort_pairs, 16, 0}, Load{Operation::sort, 0, 4}};

/// Keys that stable sorts may get wrong.
inline constexpr std::array hard_for_stable_sorts = {Distribution::special, Distribution::random,
                                                     Distribution::all_equal, Distribution::few_distinct,
                                                     Distribution::sawtooth};

inline Problem problem_of(const Load& load, KeyType key, Order order, std::uint64_t n, std::uint64_t rows = 1,
                          bool stable = true) {
  return {{.operation = load.operation,
           .key = key,
           .value_bytes = load.value_bytes,
           .index_bytes = load.index_bytes,
           .order = order,
           .stable = stable},
          {.n = n, .rows = rows}};
}

}  // namespace bitune::test
