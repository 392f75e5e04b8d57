// Arrays and rows with values and indices by digits in clusters of blocks, on the emulated device: every key
// type, order and width of what travels, strides, in place and not, distributions in turn.

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
namespace cluster_by_digits {
namespace {

Configuration of_blocks(const Problem& problem, const Bench& bench, std::int64_t blocks, std::int64_t threads,
                        std::int64_t items) {
  Configuration c = variant("cluster_by_digits").default_configuration(problem, bench.device->info());
  c.parameters["cluster_size"] = blocks;
  c.parameters["block_size_x"] = threads;
  c.parameters["items_per_thread"] = items;
  return c;
}

class ClusterByDigits : public ::testing::TestWithParam<KeyType> {};

/// A share of keys is a power of two or not. Blocks have a thread for each digit, and more.
TEST_P(ClusterByDigits, SortsStablyRowsOfAnyLength) {
  const KeyType key = GetParam();
  auto turn = 5 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Order order : {Order::ascending, Order::descending}) {
    ++turn;
    const Problem problem = problem_of(all_loads.at(turn % all_loads.size()), key, order, 1000, 2);
    sorts.emplace_back(problem, turn % 2 == 0 ? of_blocks(problem, emulated_bench(), 4, 256, 3)
                                              : of_blocks(problem, emulated_bench(), 4, 512, 1));
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    const auto most = static_cast<std::uint64_t>(4 * c.at("block_size_x") * c.at("items_per_thread"));
    const std::uint64_t first = c.at("items_per_thread") == 1 ? 2 : most * 2 / 3 + 1;
    expect_stable_rows(emulated_bench(), problem, c, {first, most - 1, most}, turn);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClusterByDigits, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Equal keys keep their places, in whatever order threads run, and sixteen blocks and eight know of each
/// other.
TEST(ClusterByDigitsStability, HoldsUnderEveryOrderOfThreads) {
  for (const std::uint64_t order : {1u, 2u}) {
    const Problem problem = problem_of(all_loads[3], KeyType::f32, Order::descending, 2000);
    EXPECT_TRUE(is_right(seeded(order), problem,
                         of_blocks(problem, seeded(order), 8 * static_cast<std::int64_t>(order), 256, 1),
                         Distribution::special, order, {.in_place = true}));
  }
}

}  // namespace
}  // namespace cluster_by_digits
}  // namespace bitune::test
