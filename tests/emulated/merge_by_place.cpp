// Rows and arrays with values and indices that are merged, on the emulated device: every key type, order and
// width of what travels, lengths around runs and tiles, strides, in place and not, distributions in turn.

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
namespace merge_by_place {
namespace {

class MergeByPlace : public ::testing::TestWithParam<KeyType> {};

/// Runs of 256 items: so few that short rows have several.
Configuration short_runs(const Problem& problem, std::int64_t merge_threads) {
  Configuration c = variant("merge_by_place").default_configuration(problem, emulated_bench().device->info());
  c.parameters["block_size_x"] = 64;
  c.parameters["items_per_thread"] = 4;
  c.parameters["merge_threads"] = merge_threads;
  c.parameters["merge_items"] = 256 / merge_threads;
  return c;
}

TEST_P(MergeByPlace, SortsStablyAnyNumberOfRuns) {
  const KeyType key = GetParam();
  auto turn = 5 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Order order : {Order::ascending, Order::descending}) {
    ++turn;
    const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, 3000, 3);
    sorts.emplace_back(problem, short_runs(problem, 64));
  }
  compile_all(emulated_bench(), sorts);
  for (auto& [problem, configuration] : sorts) {
    for (const std::uint64_t n : {2, 255, 256, 257, 512, 700, 1025, 3000}) {
      ++turn;
      problem.n = n;
      problem.rows = turn % 4;
      EXPECT_TRUE(is_right(emulated_bench(), problem, configuration,
                           hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()), turn,
                           {.in_place = turn % 2 == 0, .gaps = turn % 3 == 0}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MergeByPlace, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Equal keys keep their places, in whatever order threads run. In place, values and the bits of NaNs are
/// kept before they are overwritten.
TEST(MergeByPlaceStability, HoldsUnderEveryOrderOfThreads) {
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    for (const Load& load : {all_loads[3], all_loads[8]}) {
      const Problem problem = problem_of(load, KeyType::f32, Order::descending, 1500, 2);
      EXPECT_TRUE(is_right(seeded(order), problem, short_runs(problem, 64), Distribution::special, order,
                           {.in_place = true}));
    }
  }
}

/// The whole way, with the default configuration: rows that no block holds.
TEST(MergeByPlaceEngine, SortsRowsLongerThanABlockHolds) {
  auto engine = untuned_engine(emulated_bench());
  for (const Load& load : {all_loads[1], all_loads[3]}) {
    for (const bool in_place : {false, true}) {
      const Problem problem = problem_of(load, KeyType::f32, Order::ascending, 20000, 2);
      const auto run = [&](const Operands& operands) { engine.run(problem, operands, nullptr); };
      EXPECT_TRUE(is_right(engine.device(), problem, Distribution::special, 1,
                           {.in_place = in_place, .gaps = true}, run));
    }
  }
}

}  // namespace
}  // namespace merge_by_place
}  // namespace bitune::test
