#pragma once

/// \file
/// Problems for tests that go over all variants.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/variant.hpp"

namespace bitune::test {

/// The kinds of problems that there are variants for: keys alone, keys with values, the first of keys with
/// their indices (many and few), segments of keys, and of keys with values, the first of segments, with
/// their indices and without, and three rows of keys, and of keys with values.
inline std::vector<Problem> kinds_of_problems(KeyType key, const Shape& shape,
                                              std::uint32_t value_bytes = 16) {
  const Shape segments{.n = shape.n, .rows = std::max<std::uint64_t>(shape.n / 100, 1), .ragged = true};
  const Shape rows{.n = shape.n, .rows = 3};
  return {
      {{.key = key}, shape},
      {{.operation = Operation::sort_pairs, .key = key, .value_bytes = value_bytes, .stable = true}, shape},
      {{.operation = Operation::top_k,
        .key = key,
        .index_bytes = 4,
        .k = std::max<std::uint64_t>(1, shape.n / 40)},
       shape},
      {{.operation = Operation::top_k,
        .key = key,
        .index_bytes = 4,
        .k = std::max<std::uint64_t>(1, std::min<std::uint64_t>(shape.n / 40, 50))},
       shape},
      {{.key = key}, segments},
      {{.operation = Operation::sort_pairs, .key = key, .value_bytes = value_bytes, .stable = true},
       segments},
      {{.operation = Operation::top_k, .key = key, .index_bytes = 4, .k = 10}, segments},
      {{.operation = Operation::top_k, .key = key, .k = 10}, segments},
      {{.key = key}, rows},
      {{.operation = Operation::sort_pairs, .key = key, .value_bytes = value_bytes, .stable = true}, rows}};
}

/// The first of them that the variant can do; the first of all if it can do none.
inline Problem problem_for(const Variant& variant, const DeviceInfo& device, KeyType key,
                           const Shape& shape) {
  const std::vector<Problem> kinds = kinds_of_problems(key, shape);
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const Problem& problem) { return variant.supports(problem, device); });
  return found == kinds.end() ? kinds.front() : *found;
}

/// Points of a space from all over the product: none twice, as long as there are others.
inline Configuration drawn_point(const SearchSpace& space, std::uint64_t turn) {
  constexpr std::uint64_t stride = 1000003;  // a prime
  return space.point(turn * stride % space.cartesian_size());
}

/// The variants that sort arrays, and give more than the first keys.
inline std::vector<const Variant*> sorting_variants(const DeviceInfo& device) {
  std::vector<const Variant*> found;
  for (const Variant* variant : variants()) {
    const auto sorts = [&](std::uint64_t n) {
      const std::vector<Problem> kinds = kinds_of_problems(KeyType::u8, {.n = n});
      return std::any_of(kinds.begin(), kinds.end(), [&](const Problem& problem) {
        return problem.operation != Operation::top_k && !problem.ragged && variant->supports(problem, device);
      });
    };
    if (sorts(1000) || sorts(1 << 20)) found.push_back(variant);
  }
  return found;
}

}  // namespace bitune::test
