// Long rows with values and indices by digits, on the emulated device: every key type, order and width of
// what travels, lengths around tiles, strides, in place and not, distributions in turn.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace rows_by_digits {
namespace {

class RowsByDigits : public ::testing::TestWithParam<KeyType> {};

/// Blocks that have a thread for each digit, fewer, and more. Full rows, short ones, and some of few keys.
TEST_P(RowsByDigits, SortsStablyRowsOfAnyLength) {
  const Variant& family = variant("rows_by_digits");
  const KeyType key = GetParam();
  auto turn = 5 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Order order : {Order::ascending, Order::descending}) {
    ++turn;
    const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, 1000, 2);
    Configuration c = family.default_configuration(problem, emulated_bench().device->info());
    c.parameters["items_per_thread"] = 8;
    c.parameters["block_size_x"] = std::int64_t{128} << turn % 3;
    sorts.emplace_back(problem, c);
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    const auto most = static_cast<std::uint64_t>(8 * configuration.at("block_size_x"));
    expect_stable_rows(emulated_bench(), problem, configuration, {2, 33, most / 2, most - 1, most}, turn);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RowsByDigits, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Equal keys keep their places, in whatever order threads run. In place, values and the bits of NaNs are
/// read before they are overwritten.
TEST(RowsByDigitsStability, HoldsUnderEveryOrderOfThreads) {
  const Variant& family = variant("rows_by_digits");
  for (const std::uint64_t order : {1u, 2u}) {
    for (const Load& load : {all_loads[3], all_loads[8]}) {
      const Problem problem = problem_of(load, KeyType::f32, Order::descending, 1500, 2);
      const Configuration configuration = family.default_configuration(problem, seeded(order).device->info());
      EXPECT_TRUE(
          is_right(seeded(order), problem, configuration, Distribution::special, order, {.in_place = true}));
    }
  }
}

}  // namespace
}  // namespace rows_by_digits
}  // namespace bitune::test
