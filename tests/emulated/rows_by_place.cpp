// Rows with values and indices on the emulated device: every key type, order and width of what travels, row
// lengths around powers of two, strides, in place and not, distributions in turn.

#include <gtest/gtest.h>

#include <array>
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
namespace rows_by_place {
namespace {

class RowsByPlace : public ::testing::TestWithParam<KeyType> {};

/// Some configurations of each type: all operations, widths, orders and parameters meet in some test.
TEST_P(RowsByPlace, SortsStablyWhateverTheConfiguration) {
  const Variant& family = variant("rows_by_place");
  const KeyType key = GetParam();
  auto turn = 5 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const std::uint64_t n : {3, 32, 100, 1000, 4096}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      ++turn;
      const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, n, 5);
      for (auto& configuration :
           sample_configurations(family, problem, emulated_bench().device->info(), 1, turn)) {
        sorts.emplace_back(problem, std::move(configuration));
      }
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    for (const bool in_place : {false, true}) {
      ++turn;
      EXPECT_TRUE(is_right(emulated_bench(), problem, configuration,
                           hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()), turn,
                           {.in_place = in_place, .gaps = turn % 3 != 0}));
    }
  }
}

/// The kernel of a length that fills its registers, and that of shorter ones.
TEST_P(RowsByPlace, SortsRowsOfAnyLength) {
  const Variant& family = variant("rows_by_place");
  const KeyType key = GetParam();
  auto turn = 11 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const std::uint64_t n : {2, 31, 33, 63, 64, 513}) {
    ++turn;
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, n, 7);
    sorts.emplace_back(problem, family.default_configuration(problem, emulated_bench().device->info()));
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    ++turn;
    EXPECT_TRUE(is_right(emulated_bench(), problem, configuration, Distribution::special, turn,
                         {.in_place = turn % 2 == 0, .gaps = turn % 3 == 0}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RowsByPlace, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Equal keys keep their places, in whatever order threads run. In place, values and the bits of NaNs are
/// read before they are overwritten.
TEST(RowsByPlaceStability, HoldsUnderEveryOrderOfThreads) {
  const Variant& family = variant("rows_by_place");
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    for (const Load& load : {all_loads[3], all_loads[8]}) {
      const Problem problem = problem_of(load, KeyType::f32, Order::descending, 500, 3);
      Configuration configuration = family.default_configuration(problem, seeded(order).device->info());
      if (order != 1) {
        configuration.parameters["store_swaps"] = 5;  // through shared memory
        configuration.parameters["imad_quarters"] = 8;
      }
      EXPECT_TRUE(
          is_right(seeded(order), problem, configuration, Distribution::special, order, {.in_place = true}));
    }
  }
}

/// The whole way, with the default configuration.
TEST(RowsByPlaceEngine, CarriesRowsOfAllLengthsAndNone) {
  auto engine = untuned_engine(emulated_bench());
  for (const Load& load : {all_loads[1], all_loads[3], all_loads[4]}) {
    for (const std::uint64_t n : {0, 1, 2, 100}) {
      for (const std::uint64_t rows : {0, 1, 6}) {
        for (const bool in_place : {false, true}) {
          const Problem problem = problem_of(load, KeyType::f32, Order::ascending, n, rows);
          const auto run = [&](const Operands& operands) { engine.run(problem, operands, nullptr); };
          EXPECT_TRUE(is_right(engine.device(), problem, Distribution::special, n,
                               {.in_place = in_place, .gaps = true}, run));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rows_by_place
}  // namespace bitune::test
