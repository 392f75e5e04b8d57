// Sample sort: buckets of different and of equal keys, leaves of many of them, of one, and of parts of one.
// All distributions in one test each, since a process compiles a kernel for the emulated device once.

#include <gtest/gtest.h>

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace samplesort_tests {
namespace {

/// Tiles of 1024 keys.
Configuration small_tiles(KeyType key, std::int64_t fill, std::int64_t samples) {
  Configuration configuration =
      variant("samplesort").default_configuration(problem_of(key, 20001), DeviceInfo{});
  configuration.parameters["block_size_x"] = 128;
  configuration.parameters["items_per_thread"] = 8;
  configuration.parameters["leaf_fill"] = fill;
  configuration.parameters["samples"] = samples;
  configuration.parameters["pass_threads"] = 512;
  return configuration;
}

TEST(Samplesort, SortsArraysOfManyBuckets) {
  for (const Distribution distribution : all_distributions) {
    const Bench bench = make_bench(open_device("emulated"));
    std::uint64_t seed = 17;
    const auto turn = static_cast<std::size_t>(distribution);
    // Words for each distribution, up and down; of the other widths one is left out in turn.
    const KeyType others[] = {KeyType::u8, KeyType::f16, KeyType::f64};
    for (const KeyType key : {others[turn % 3], others[(turn + 1) % 3], KeyType::u32}) {
      EXPECT_TRUE(sorts(bench, problem_of(key, 20001), small_tiles(key, 80, 4096), distribution, ++seed));
    }
    EXPECT_TRUE(sorts(bench, problem_of(KeyType::u32, 30001, Order::descending),
                      small_tiles(KeyType::u32, 80, 4096), distribution, ++seed));
    // The distributions take turns with three orders of threads.
    const std::uint64_t order = 1 + turn % 3;
    EXPECT_TRUE(sorts(seeded(order), problem_of(KeyType::u32, 20001), small_tiles(KeyType::u32, 60, 16384),
                      distribution, ++seed));
  }
}

TEST(Samplesort, SortsFewKeysThatFitOneTile) {
  for (const Distribution distribution : all_distributions) {
    const Bench bench = make_bench(open_device("emulated"));
    for (const std::uint64_t n : {2u, 3u, 255u, 1023u, 1024u, 1025u, 2049u}) {
      EXPECT_TRUE(
          sorts(bench, problem_of(KeyType::i32, n), small_tiles(KeyType::i32, 80, 4096), distribution, n))
          << n;
    }
  }
}

/// Buckets that are expected to fill a tile, so that half of them take a second one.
TEST(Samplesort, SortsBucketsOfMoreThanATile) {
  for (const Distribution distribution : all_distributions) {
    const Bench bench = make_bench(open_device("emulated"));
    for (const KeyType key : {KeyType::i16, KeyType::f32, KeyType::u64}) {
      EXPECT_TRUE(sorts(bench, problem_of(key, 30000), small_tiles(key, 100, 4096), distribution, 5));
    }
  }
}

/// Buckets that are expected to fill all the room there is, so that half of them spill.
TEST(Samplesort, SortsBucketsThatSpill) {
  for (const Distribution distribution : all_distributions) {
    const Bench bench = make_bench(open_device("emulated"));
    const Problem problem = problem_of(KeyType::f32, 40000);
    const Configuration configuration = small_tiles(KeyType::f32, 200, 4096);
    const SearchSpace space = variant("samplesort").space(problem, bench.device->info());
    Configuration nearest = configuration;
    nearest.parameters["leaf_fill"] = 80;
    EXPECT_FALSE(space.violation(nearest, problem, bench.device->info()));
    EXPECT_TRUE(sorts(bench, problem, configuration, distribution, 3));
  }
}

/// A bucket that may not fit two tiles is refused by the space.
TEST(SamplesortSpace, AsksForEnoughSamples) {
  const DeviceInfo device = make_bench(open_device("emulated")).device->info();
  const Problem problem = problem_of(KeyType::u32, 3000000);
  const auto violation = variant("samplesort")
                             .space(problem, device)
                             .violation(small_tiles(KeyType::u32, 80, 4096), problem, device);
  ASSERT_TRUE(violation.has_value());
  EXPECT_NE(violation->find("once in a million"), std::string::npos) << *violation;
}

}  // namespace
}  // namespace samplesort_tests
}  // namespace bitune::test
