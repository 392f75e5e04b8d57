// Long rows as segments, on the emulated device: keys alone, values and indices, rows with gaps in each array
// by another stride, in place and not.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"

namespace bitune::test {
namespace rows_as_segments {
namespace {

/// A list for each doubling of the length up to 4096 keys, and what is longer by digits, in buckets or not.
/// What sorts segments has tests of its own for each type of key.
Configuration short_lists(const Problem& problem, bool makes_buckets) {
  Configuration c =
      variant("rows_as_segments").default_configuration(problem, emulated_bench().device->info());
  c.parameters["lane_items"] = 8;
  c.parameters["block_items"] = 8;
  c.parameters["block_lists"] = 4;
  c.parameters["list_octaves"] = 1;
  c.parameters["long_buckets"] = makes_buckets ? 1 : 0;
  return c;
}

TEST(RowsAsSegments, SortsRowsWhereverTheyLie) {
  constexpr Load keys_alone{Operation::sort, 0, 0};
  std::vector<std::pair<Problem, Configuration>> sorts;
  const auto add = [&](const Load& load, KeyType key, Order order, bool makes_buckets) {
    const Problem problem = problem_of(load, key, order, 8193, 2);
    sorts.emplace_back(problem, short_lists(problem, makes_buckets));
  };
  add(keys_alone, KeyType::u32, Order::ascending, true);
  add(all_loads[1], KeyType::f32, Order::descending, true);
  add(all_loads[4], KeyType::i64, Order::ascending, false);
  add(all_loads[7], KeyType::bf16, Order::descending, true);
  compile_all(emulated_bench(), sorts);
  std::uint64_t turn = 0;
  for (const auto& [problem, configuration] : sorts) {
    for (const Distribution distribution : {Distribution::random, Distribution::special}) {
      ++turn;
      for (const bool gaps : {false, true}) {
        EXPECT_TRUE(is_right(emulated_bench(), problem, configuration, distribution, turn,
                             {.in_place = turn % 2 == 0, .gaps = gaps}));
      }
    }
  }
}

TEST(RowsAsSegments, IsForLongRows) {
  const DeviceInfo& device = emulated_bench().device->info();
  const auto supports = [&](const Shape& shape, const SortSpec& spec = {}) {
    return variant("rows_as_segments").supports({spec, shape}, device);
  };
  EXPECT_TRUE(supports({.n = 8192, .rows = 2}));
  EXPECT_FALSE(supports({.n = 8191, .rows = 2})) << "a block holds it";
  EXPECT_FALSE(supports({.n = 8193, .rows = 1})) << "an array";
  EXPECT_FALSE(supports({.n = 8193, .rows = 2}, {.operation = Operation::top_k, .k = 5}));
  EXPECT_TRUE(supports({.n = std::uint64_t{1} << 20, .rows = 4096}));
  EXPECT_FALSE(supports({.n = std::uint64_t{1} << 20, .rows = 4097})) << "more than 2^32 keys";
}

}  // namespace
}  // namespace rows_as_segments
}  // namespace bitune::test
