// Arrays and rows with values and indices in clusters of blocks, on the emulated device: every key type,
// order and width of what travels, strides, in place and not, distributions in turn.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/pairs_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace cluster_by_place {
namespace {

const Bench& emulated() {
  static const Bench bench = make_bench(open_device("emulated"));
  return bench;
}

/// What goes with keys.
struct Load {
  Operation operation;
  std::uint32_t value_bytes;
  std::uint32_t index_bytes;
};

constexpr std::array all_loads = {
    Load{Operation::sort_pairs, 1, 0}, Load{Operation::argsort, 0, 4},     Load{Operation::sort_pairs, 2, 0},
    Load{Operation::sort_pairs, 4, 0}, Load{Operation::sort, 0, 8},        Load{Operation::sort_pairs, 8, 0},
    Load{Operation::argsort, 0, 8},    Load{Operation::sort_pairs, 16, 0}, Load{Operation::sort, 0, 4}};

constexpr std::array distributions = {Distribution::special, Distribution::random, Distribution::all_equal,
                                      Distribution::few_distinct, Distribution::sawtooth};

Problem problem_of(const Load& load, KeyType key, Order order, std::uint64_t n, std::uint64_t rows) {
  return {{.operation = load.operation,
           .key = key,
           .value_bytes = load.value_bytes,
           .index_bytes = load.index_bytes,
           .order = order,
           .stable = true},
          {.n = n, .rows = rows}};
}

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
    for (auto& configuration : sample_configurations(family, problem, emulated().device->info(), 1, turn)) {
      sorts.emplace_back(problem, std::move(configuration));
    }
  }
  compile_all(emulated(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    for (const bool in_place : {false, true}) {
      ++turn;
      EXPECT_TRUE(carries(emulated(), problem, configuration, distributions.at(turn % distributions.size()),
                          turn, in_place, turn % 3 != 0));
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
      const Problem problem = problem_of(all_loads[3], KeyType::f32, Order::descending, 1500, rows);
      const Configuration configuration = family.default_configuration(problem, seeded(order).device->info());
      EXPECT_TRUE(carries(seeded(order), problem, configuration, Distribution::special, order, true));
    }
  }
}

}  // namespace
}  // namespace cluster_by_place
}  // namespace bitune::test
