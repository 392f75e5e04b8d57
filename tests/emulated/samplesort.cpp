// Sample sort: buckets of different and of equal keys, leaves of many of them, of one, and of parts of one.

#include <gtest/gtest.h>

#include "runtime/device.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

Problem problem_of(KeyType key, std::uint64_t n, Order order = Order::ascending) {
  return {Operation::sort, key, ValueType::none, order, n, 1};
}

/// Leaves of 1024 keys.
Configuration small_leaves(KeyType key, std::int64_t splitters, std::int64_t oversampling) {
  Configuration configuration =
      variant("samplesort").default_configuration(problem_of(key, 20001), DeviceInfo{});
  configuration.parameters["block_size_x"] = 128;
  configuration.parameters["items_per_thread"] = 8;
  configuration.parameters["splitters"] = splitters;
  configuration.parameters["oversampling"] = oversampling;
  configuration.parameters["pass_threads"] = 512;
  return configuration;
}

Bench seeded(std::uint64_t seed) {
  emulated::EmulatedOptions options;
  options.seed = seed;
  return make_bench(make_emulated_device(options));
}

class Samplesort : public testing::TestWithParam<Distribution> {};

TEST_P(Samplesort, SortsArraysOfManyLeaves) {
  const Bench bench = make_bench(open_device("emulated"));
  std::uint64_t seed = 17;
  for (const KeyType key : {KeyType::u8, KeyType::f16, KeyType::u32, KeyType::f64}) {
    const Configuration configuration = small_leaves(key, 256, 4);
    EXPECT_TRUE(sorts(bench, problem_of(key, 20001), configuration, GetParam(), ++seed));
    EXPECT_TRUE(sorts(bench, problem_of(key, 40000, Order::descending), configuration, GetParam(), ++seed));
  }
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    const Configuration configuration = small_leaves(KeyType::u32, 512, 8);  // a sample for eight blocks
    EXPECT_TRUE(sorts(seeded(order), problem_of(KeyType::u32, 20001), configuration, GetParam(), ++seed));
  }
}

TEST_P(Samplesort, SortsFewKeysThatFitOneLeaf) {
  const Bench bench = make_bench(open_device("emulated"));
  for (const std::uint64_t n : {2u, 3u, 255u, 1023u, 1024u, 1025u, 2049u}) {
    EXPECT_TRUE(sorts(bench, problem_of(KeyType::i32, n), small_leaves(KeyType::i32, 256, 2), GetParam(), n))
        << n;
  }
}

/// Twice as many keys between splitters as the restrictions allow, so that some buckets outgrow their leaf.
TEST_P(Samplesort, SortsALeafThatIsTooLargeInMemory) {
  const Bench bench = make_bench(open_device("emulated"));
  const Problem problem = problem_of(KeyType::u32, 150000);
  const Configuration configuration = small_leaves(KeyType::u32, 256, 2);
  const auto violation = variant("samplesort")
                             .space(problem, bench.device->info())
                             .violation(configuration, problem, bench.device->info());
  ASSERT_TRUE(violation.has_value());
  EXPECT_NE(violation->find("once in a million"), std::string::npos) << *violation;
  EXPECT_TRUE(sorts(bench, problem, configuration, GetParam(), 3));
}

INSTANTIATE_TEST_SUITE_P(Distributions, Samplesort,
                         testing::ValuesIn(all_distributions.begin(), all_distributions.end()));

}  // namespace
}  // namespace bitune::test
