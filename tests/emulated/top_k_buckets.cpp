// The first k of an array by buckets, on the emulated device: keys of each width and all distributions, under
// several orders of threads; and where the sample is wrong, or buckets have more than a block holds.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "measure/inputs.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_buckets {
namespace {

struct Case {
  KeyType key;
  std::uint64_t k;
  std::uint64_t n;
  TopKLoad load;
};

constexpr std::array cases = {Case{KeyType::f32, 1200, 8001, {0, 4}}, Case{KeyType::f64, 400, 5000, {8, 0}},
                              Case{KeyType::u8, 900, 6000, {0, 8}}, Case{KeyType::bf16, 300, 4100, {0, 0}}};

Configuration configuration_of(const Problem& problem, const DeviceInfo& device) {
  return variant("bucket_array").default_configuration(problem, device);
}

TEST(TopKBuckets, GiveTheFirstKeysOfEveryDistribution) {
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    for (const Distribution distribution : all_distributions) {
      ++turn;
      const Problem problem =
          top_k_of(of.load, of.key, turn % 2 == 0 ? Order::ascending : Order::descending, of.k, {.n = of.n});
      const Bench& bench = seeded(1 + turn % 3);
      EXPECT_TRUE(is_right(bench, problem, configuration_of(problem, bench.device->info()), distribution,
                           turn, {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
    }
  }
}

/// A cluster of 16 that puts little of a large sample in order; at last more keys than the bound is for.
TEST(TopKBuckets, TakeLargeSamples) {
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    const Problem problem = top_k_of(of.load, of.key, Order::descending, of.k, {.n = of.n});
    const DeviceInfo& device = emulated_bench().device->info();
    Configuration c = configuration_of(problem, device);
    c.parameters["samples"] = 1024;
    c.parameters["sample_blocks"] = 16;
    const auto violation = variant("bucket_array").space(problem, device).violation(c, problem, device);
    ASSERT_FALSE(violation) << *violation;
    for (const Distribution distribution : {Distribution::special, Distribution::all_equal}) {
      ++turn;
      EXPECT_TRUE(is_right(seeded(1 + turn % 3), problem, c, distribution, turn,
                           {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
    }
    for (const std::uint32_t rank : {1U, 1U << 30}) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::random, rank, {.sample = rank}));
    }
  }
}

/// Rank 1: fewer than k keys are up to the bound. A large one: each bucket ends with the last of the sample,
/// so that one has nearly all keys, and blocks take parts.
TEST(TopKBuckets, HaveAWayOutWhereTheSampleIsWrong) {
  for (const std::uint64_t k : {1200U, 2000U}) {
    const Problem problem = top_k_of({0, 4}, KeyType::f32, Order::ascending, k, {.n = 8001});
    const Configuration c = configuration_of(problem, emulated_bench().device->info());
    for (const std::uint32_t rank : {1U, 60U, 250U, 1U << 30}) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::special, rank, {.sample = rank}));
    }
  }
}

}  // namespace
}  // namespace top_k_buckets
}  // namespace bitune::test
