// Arrays and rows with values and indices in clusters of blocks, on the emulated device: every key type,
// order and width of what travels, strides, in place and not, distributions in turn.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace cluster_by_place {
namespace {

class ClusterByPlace : public ::testing::TestWithParam<KeyType> {};

/// Some configurations of each type: all operations, widths, orders and parameters meet in some test.
TEST_P(ClusterByPlace, SortsStablyWhateverTheConfiguration) {
  const Variant& family = variant("cluster_by_place");
  const KeyType key = GetParam();
  auto turn = 5 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const std::uint64_t n : {300, 1024, 2000}) {
    ++turn;
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, n, 1 + turn % 3);
    for (auto& configuration :
         sample_configurations(family, problem, emulated_bench().device->info(), 1, turn)) {
      sorts.emplace_back(problem, std::move(configuration));
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

INSTANTIATE_TEST_SUITE_P(All, ClusterByPlace, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Equal keys keep their places, in whatever order threads run. In place, values and the bits of NaNs are
/// read by all blocks before they are overwritten.
TEST(ClusterByPlaceStability, HoldsUnderEveryOrderOfThreads) {
  const Variant& family = variant("cluster_by_place");
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    for (const std::uint64_t rows : {1, 2}) {  // sending, and not
      const KeyType key = order == 1 ? KeyType::f64 : KeyType::f32;
      const Problem problem = problem_of(all_loads[3], key, Order::descending, 1500, rows);
      const Configuration configuration = family.default_configuration(problem, seeded(order).device->info());
      EXPECT_TRUE(
          is_right(seeded(order), problem, configuration, Distribution::special, order, {.in_place = true}));
    }
  }
}

}  // namespace
}  // namespace cluster_by_place
}  // namespace bitune::test
