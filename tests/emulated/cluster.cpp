// Clusters of sixteen blocks that send each other their keys, and whose ranks have more bits than there are
// register bits, so that the last stage passes its lowest bit between neighbours.

#include <gtest/gtest.h>

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace cluster_tests {
namespace {

Configuration sixteen_blocks(std::int64_t block_size, std::int64_t items, std::int64_t sending = 1) {
  return {"cluster",
          {{"cluster_size", 16},
           {"block_size_x", block_size},
           {"items_per_thread", items},
           {"shuffle_steps", 2},
           {"vector_width", 1},
           {"imad_quarters", 0},
           {"sending", sending},
           {"dependent_launch", 0}}};
}

TEST(SixteenBlocks, SortAllDistributionsInAnyOrderOfThreads) {
  std::uint64_t seed = 0;
  for (const Distribution distribution : all_distributions) {
    const Bench bench = seeded(++seed % 4);  // 0: in the order of their indices
    const Configuration configuration = sixteen_blocks(64, 8);
    EXPECT_TRUE(sorts(bench, problem_of(KeyType::u32, 8192), configuration, distribution, seed));
    EXPECT_TRUE(
        sorts(bench, problem_of(KeyType::u32, 4097, Order::ascending, 2), configuration, distribution, seed));
    EXPECT_TRUE(
        sorts(bench, problem_of(KeyType::f64, 7001, Order::descending), configuration, distribution, seed));
  }
}

TEST(SixteenBlocks, SortWhereEveryRankIsAKeyOfAThread) {
  const Bench bench = seeded(3);
  for (const std::int64_t sending : {0, 1}) {
    EXPECT_TRUE(sorts(bench, problem_of(KeyType::u16, 16000), sixteen_blocks(64, 16, sending),
                      Distribution::random, 5))
        << "sending=" << sending;
  }
}

TEST(SixteenBlocks, ReadEachOthersKeysOnlyWithAKeyForEachRank) {
  const DeviceInfo device = open_device("emulated")->info();
  const Problem problem = problem_of(KeyType::u32, 8192);
  const SearchSpace space = variant("cluster").space(problem, device);
  EXPECT_FALSE(space.violation(sixteen_blocks(64, 8), problem, device));
  EXPECT_TRUE(space.violation(sixteen_blocks(64, 8, 0), problem, device));
}

}  // namespace
}  // namespace cluster_tests
}  // namespace bitune::test
