// Counting sort: counters in memory and in shared memory, of one block and of clusters, values in parts. All
// distributions in one test each, since a process compiles a kernel for the emulated device once.

#include <gtest/gtest.h>

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace counting_tests {
namespace {

Configuration counting(KeyType key, std::int64_t parts, std::int64_t cluster, std::int64_t vector) {
  Configuration configuration =
      variant("counting").default_configuration(problem_of(key, 1000), DeviceInfo{});
  configuration.parameters["count_parts"] = parts;
  configuration.parameters["cluster_size"] = cluster;
  configuration.parameters["vector_width"] = vector;
  configuration.parameters["loop_unroll_factor_count"] = 2;
  return configuration;
}

TEST(Counting, SortsWithCountersOfEveryKind) {
  const Bench bench = make_bench(open_device("emulated"));
  for (const Distribution distribution : all_distributions) {
    std::uint64_t seed = 3;
    const auto check = [&](const Problem& problem, const Configuration& configuration) {
      ++seed;
      EXPECT_TRUE(sorts(bench, problem, configuration, distribution, seed, {.offset_keys = seed % 3}));
    };
    for (const std::uint64_t n : {2u, 255u, 257u, 20001u}) {
      check(problem_of(KeyType::i8, n), counting(KeyType::i8, 1, 1, 16));
      check(problem_of(KeyType::u8, n, Order::descending), counting(KeyType::u8, 1, 4, 4));
    }
    // 65,536 counters take their time, however few the keys: each kind at one length, another for each
    // distribution, and of the kinds in one order of threads one is left out in turn.
    const auto turn = static_cast<std::uint64_t>(distribution);
    const std::uint64_t n = 20001 - 333 * turn;
    if (turn % 3 != 0) check(problem_of(KeyType::bf16, n), counting(KeyType::bf16, 0, 1, 8));
    if (turn % 3 != 1) check(problem_of(KeyType::f16, n, Order::descending), counting(KeyType::f16, 4, 1, 2));
    if (turn % 3 != 2) check(problem_of(KeyType::u16, n), counting(KeyType::u16, 8, 4, 8));
    const std::uint64_t order = 1 + turn % 3;
    EXPECT_TRUE(sorts(seeded(order), problem_of(KeyType::i16, 5001), counting(KeyType::i16, 8, 8, 4),
                      distribution, order));
  }
}

/// More keys of one value than a block writes, beside values that are rare.
TEST(Counting, SharesOutAFrequentValue) {
  const Bench bench = make_bench(open_device("emulated"));
  for (const Distribution distribution :
       {Distribution::all_equal, Distribution::special, Distribution::random}) {
    EXPECT_TRUE(
        sorts(bench, problem_of(KeyType::u8, 1000003), counting(KeyType::u8, 1, 1, 16), distribution, 5));
    EXPECT_TRUE(
        sorts(bench, problem_of(KeyType::i16, 300001), counting(KeyType::i16, 2, 1, 8), distribution, 5));
  }
}

/// Where values are frequent, counters in memory would be added to one after the other.
TEST(CountingSpace, CountsManyKeysInSharedMemory) {
  const DeviceInfo device = make_bench(open_device("emulated")).device->info();
  const auto violation = [&](std::uint64_t n) {
    const Problem problem = problem_of(KeyType::u16, n);
    return variant("counting")
        .space(problem, device)
        .violation(counting(KeyType::u16, 0, 1, 8), problem, device);
  };
  EXPECT_FALSE(violation(std::uint64_t{1} << 17));
  ASSERT_TRUE(violation(std::uint64_t{1} << 18));
  EXPECT_NE(violation(std::uint64_t{1} << 18)->find("two keys for each"), std::string::npos);
}

TEST(CountingSpace, IsForShortKeysOfOneArray) {
  const DeviceInfo device;
  const Variant& counting = variant("counting");
  EXPECT_TRUE(counting.supports(problem_of(KeyType::bf16, 1 << 20), device));
  EXPECT_FALSE(counting.supports(problem_of(KeyType::u32, 1 << 20), device));
  EXPECT_FALSE(counting.supports(problem_of(KeyType::u16, std::uint64_t{1} << 31), device));
  Problem rows = problem_of(KeyType::u16, 1 << 20);
  rows.rows = 2;
  EXPECT_FALSE(counting.supports(rows, device));
}

}  // namespace
}  // namespace counting_tests
}  // namespace bitune::test
