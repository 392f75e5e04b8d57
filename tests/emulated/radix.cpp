// Radix sort: digits of all widths, an even and an odd number of passes, tiles of which each looks back over
// many. All distributions in one test each, since a process compiles a kernel for the emulated device once.

#include <gtest/gtest.h>

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace radix_tests {
namespace {

/// Tiles of 896 keys.
Configuration small_tiles(KeyType key, std::int64_t bits, std::int64_t look_back) {
  Configuration configuration = variant("radix").default_configuration(problem_of(key, 20001), DeviceInfo{});
  configuration.parameters["block_size_x"] = 128;
  configuration.parameters["items_per_thread"] = 7;
  configuration.parameters["radix_bits"] = bits;
  configuration.parameters["loop_unroll_factor_look_back"] = look_back;
  return configuration;
}

TEST(Radix, SortsByDigitsOfEveryWidth) {
  const Bench bench = make_bench(open_device("emulated"));
  for (const Distribution distribution : all_distributions) {
    std::uint64_t seed = 11;
    const auto check = [&](const Problem& problem, const Configuration& configuration) {
      ++seed;
      EXPECT_TRUE(sorts(bench, problem, configuration, distribution, seed, {.offset_keys = seed % 3}));
    };
    check(problem_of(KeyType::u8, 9001), small_tiles(KeyType::u8, 4, 1));
    check(problem_of(KeyType::i8, 20001), small_tiles(KeyType::i8, 8, 1));
    check(problem_of(KeyType::bf16, 9001, Order::descending), small_tiles(KeyType::bf16, 6, 2));
    check(problem_of(KeyType::u32, 20001), small_tiles(KeyType::u32, 8, 4));
    check(problem_of(KeyType::f32, 9001, Order::descending), small_tiles(KeyType::f32, 7, 8));
    check(problem_of(KeyType::i64, 5001), small_tiles(KeyType::i64, 10, 2));
  }
}

/// As many counters as there may be: 16 bits tell which of them a key has.
TEST(Radix, SortsByTheWidestDigitsInTheLargestBlocks) {
  const Bench bench = make_bench(open_device("emulated"));
  Configuration configuration = small_tiles(KeyType::u32, 11, 1);
  configuration.parameters["block_size_x"] = 1024;
  EXPECT_TRUE(sorts(bench, problem_of(KeyType::u32, 20001), configuration, Distribution::random, 7));
}

/// Keys that equal each other keep their places from pass to pass, or the result is wrong: in whatever order
/// threads run.
TEST(Radix, IsStableUnderEveryOrderOfThreads) {
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    for (const Distribution distribution : {Distribution::random, Distribution::few_distinct}) {
      EXPECT_TRUE(sorts(seeded(order), problem_of(KeyType::u32, 5001), small_tiles(KeyType::u32, 8, 2),
                        distribution, order));
    }
  }
}

/// With an even number of passes there is one array beside the keys, with an odd one there are two.
TEST(Radix, NeverWritesWhatAPassReads) {
  const DeviceInfo device = make_bench(open_device("emulated")).device->info();
  for (const std::int64_t bits : {7, 8, 11}) {
    const Problem problem = problem_of(KeyType::u32, 20001);
    const Plan plan = variant("radix").plan(problem, small_tiles(KeyType::u32, bits, 1), device);
    // The first two launches clear and count.
    for (std::size_t i = 2; i < plan.launches.size(); ++i) {
      const auto& arguments = plan.launches[i].arguments;
      EXPECT_NE(arguments[0], arguments[1]) << bits;
      if (i == 2) {
        EXPECT_EQ(arguments[0].role, Role::workspace) << bits;
        EXPECT_EQ(arguments[1].role, Role::keys_in) << bits;
      } else {
        EXPECT_EQ(arguments[1], plan.launches[i - 1].arguments[0]) << bits;
      }
    }
    EXPECT_EQ(plan.launches.back().arguments[0].role, Role::keys_out) << bits;
  }
}

/// Two bits of a counter are not for counting.
TEST(Radix, CountsManyKeysInEightBytes) {
  const DeviceInfo device = make_bench(open_device("emulated")).device->info();
  const auto kernel = [&](std::uint64_t n) {
    const Problem problem = problem_of(KeyType::u32, n);
    return variant("radix")
        .plan(problem, small_tiles(KeyType::u32, 8, 1), device)
        .kernels.back()
        .name_expression;
  };
  EXPECT_NE(kernel((std::uint64_t{1} << 30) - 1).find(", 8, 1, 4, 1, false>"), std::string::npos)
      << kernel(1 << 20);
  EXPECT_NE(kernel(std::uint64_t{1} << 30).find(", 8, 1, 8, 1, false>"), std::string::npos);
}

}  // namespace
}  // namespace radix_tests
}  // namespace bitune::test
