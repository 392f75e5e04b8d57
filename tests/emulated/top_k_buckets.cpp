// The first k of arrays and rows by buckets, on the emulated device: keys of each width and all
// distributions, under several orders of threads; and where the sample is wrong, or buckets have more than a
// block holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernels/topk/bucket_layout.hpp"
#include "measure/inputs.hpp"
#include "runtime/kernel_store.hpp"
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
  Shape shape;
  TopKLoad load;
  Order order = Order::descending;
};

/// The last two want so much that the whole sample is put in order.
constexpr std::array cases = {Case{KeyType::f32, 1200, {.n = 8001}, {0, 4}},
                              Case{KeyType::f64, 400, {.n = 5000}, {8, 0}, Order::ascending},
                              Case{KeyType::u8, 900, {.n = 6000, .rows = 2}, {0, 8}},
                              Case{KeyType::bf16, 300, {.n = 4100, .rows = 3}, {0, 0}, Order::ascending},
                              Case{KeyType::f32, 5000, {.n = 8001}, {0, 4}},
                              Case{KeyType::u16, 4000, {.n = 6000, .rows = 2}, {4, 4}, Order::ascending}};

/// The default with eight buckets at most: each is a block of hundreds of threads, which cost time
/// here. Other tests sort with the default itself.
Configuration configuration_of(const Problem& problem, const DeviceInfo& device) {
  Configuration c = variant("bucket_rows").default_configuration(problem, device);
  std::int64_t& buckets = c.parameters.at("buckets");
  buckets = std::min<std::int64_t>(buckets, 8);
  return c;
}

TEST(TopKBuckets, GiveTheFirstKeysOfEveryDistribution) {
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    const Problem problem = top_k_of(of.load, of.key, of.order, of.k, of.shape);
    for (const Distribution distribution : all_distributions) {
      ++turn;
      const Bench& bench = seeded(1 + turn % 3);
      EXPECT_TRUE(is_right(bench, problem, configuration_of(problem, bench.device->info()), distribution,
                           turn, {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
    }
  }
}

/// Of keys in order each sample has a group for itself. Then the minima still have a bound, which lets no
/// more keys pass than there is room for: else each block would look for its share of the first k in the
/// whole array.
TEST(TopKBuckets, HaveABoundForKeysInOrder) {
  const Bench& bench = emulated_bench();
  const Problem problem = top_k_of({0, 4}, KeyType::f32, Order::descending, 1500, {.n = 20000});
  for (const std::int64_t samples : {1024, 2048}) {
    Configuration c = configuration_of(problem, bench.device->info());
    c.parameters["samples"] = samples;
    c.parameters["sample_blocks"] = 16;
    const auto violation = variant("bucket_rows")
                               .space(problem, bench.device->info())
                               .violation(c, problem, bench.device->info());
    ASSERT_FALSE(violation) << *violation;
    const Plan plan = variant("bucket_rows").plan(problem, c, bench.device->info());
    const ExecutablePlan executable = make_executable(*bench.device, *bench.kernels, plan);
    const auto workspace = bench.device->allocate(plan.workspace_bytes);
    const auto* const counts =
        static_cast<const std::uint32_t*>(workspace->data()) + plan.launches[0].arguments[1].value / 4;
    for (const Distribution distribution :
         {Distribution::sorted, Distribution::reversed, Distribution::all_equal}) {
      EXPECT_TRUE(is_right(*bench.device, problem, distribution, 1, {}, [&](Operands operands) {
        operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
        executable.run(operands, nullptr);
      }));
      std::uint64_t passed = 0;
      for (std::int64_t bucket = 0; bucket < c.at("buckets"); ++bucket)
        passed += counts[bucket * layout::words_of_count()];
      EXPECT_GE(passed, problem.k) << name_of(distribution) << ", " << samples;
      EXPECT_LT(passed, problem.n / 2) << name_of(distribution) << ", " << samples;
    }
  }
}

/// A cluster of 16 that puts little of a large sample in order; at last more keys than the bound is for.
TEST(TopKBuckets, TakeLargeSamples) {
  std::uint64_t turn = 0;
  for (const Case& of : std::span(cases).first(4)) {
    const Problem problem = top_k_of(of.load, of.key, Order::descending, of.k, of.shape);
    const DeviceInfo& device = emulated_bench().device->info();
    Configuration c = configuration_of(problem, device);
    c.parameters["samples"] = 1024;
    c.parameters["sample_blocks"] = 16;
    const auto violation = variant("bucket_rows").space(problem, device).violation(c, problem, device);
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
