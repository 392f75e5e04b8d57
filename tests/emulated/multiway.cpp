// Exact splitting: many runs, every level, every distribution. What lies between two boundaries must be as
// many keys as a bucket has, or the sort loses some.

#include <gtest/gtest.h>

#include <iterator>

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace multiway_tests {
namespace {

Configuration small_runs(KeyType key, std::int64_t levels, std::int64_t pivots, std::int64_t lanes) {
  const Problem problem{{.key = key}, {.n = 20001}};
  Configuration configuration = variant("multiway").default_configuration(problem, DeviceInfo{});
  configuration.parameters["block_size_x"] = 64;
  configuration.parameters["items_per_thread"] = 4;
  configuration.parameters["vector_width"] = 1;
  configuration.parameters["split_threads"] = 128;
  configuration.parameters["split_levels"] = levels;
  configuration.parameters["split_pivots"] = pivots;
  configuration.parameters["split_window"] = 0;
  configuration.parameters["gather_lanes"] = lanes;
  return configuration;
}

/// The same with windows of the runs in shared memory, where blocks split for themselves.
Configuration windowed(Configuration configuration, std::int64_t window) {
  configuration.parameters["split_window"] = window;
  return configuration;
}

TEST(MultiwaySplit, CutsSeventyNineRunsAtEveryLevel) {
  // All in one test, since a process compiles a kernel for the emulated device once.
  const Bench bench = make_bench(open_device("emulated"));
  std::uint64_t order = 0;
  for (const Distribution distribution : all_distributions) {
    std::uint64_t seed = 7;
    const Problem single{{.key = KeyType::u32}, {.n = 20001}};
    // The distributions take turns with three orders of threads, and differ in what they make of each.
    order = order % 3 + 1;
    EXPECT_TRUE(sorts(seeded(order), single, small_runs(KeyType::u32, 0, 5, 8), distribution, ++seed));
    EXPECT_TRUE(
        sorts(seeded(order), single, windowed(small_runs(KeyType::u32, 0, 3, 8), 64), distribution, ++seed));
    // Narrow and wide keys in turn: what is above meets every distribution.
    const KeyType key = static_cast<int>(distribution) % 2 == 0 ? KeyType::u32 : KeyType::f64;
    const Problem problem{{.key = key, .order = Order::descending}, {.n = 20001}};
    const Configuration of_both[] = {small_runs(key, 0, 3, 4), windowed(small_runs(key, 0, 5, 4), 64),
                                     small_runs(key, 1, 5, 32), small_runs(key, 2, 3, 8),
                                     small_runs(key, 1, 3, 8)};
    for (std::size_t i = 0; i < std::size(of_both); ++i) {
      // Three of the five for each distribution; two neighbours differ in the keys, so that each meets both.
      if ((static_cast<std::size_t>(distribution) + i) % std::size(of_both) >= 3) continue;
      EXPECT_TRUE(sorts(bench, problem, of_both[i], distribution, ++seed));
    }
    // Two rows with a gap, each of these for every third distribution.
    const Problem rows{{.key = KeyType::u32}, {.n = 20001, .rows = 2}};
    const Configuration of_rows[] = {small_runs(KeyType::u32, 2, 5, 4), small_runs(KeyType::u32, 0, 7, 8),
                                     small_runs(KeyType::u32, 2, 3, 4)};
    EXPECT_TRUE(sorts(seeded(static_cast<std::uint64_t>(distribution) / 3), rows,
                      of_rows[static_cast<std::size_t>(distribution) % 3], distribution, seed,
                      {.gap_keys = 5}));
  }
  // On both sides of 0 there are floats of all exponents, and few keys: distances are between numbers there,
  // not between words.
  const Problem floats{{.key = KeyType::f64, .order = Order::descending}, {.n = 20001}};
  EXPECT_TRUE(sorts(bench, floats, windowed(small_runs(KeyType::f64, 0, 5, 4), 64), Distribution::normal, 7));
  EXPECT_TRUE(sorts(bench, floats, small_runs(KeyType::f64, 1, 3, 8), Distribution::normal, 7));
  const Problem singles{{.key = KeyType::f32}, {.n = 20001}};
  EXPECT_TRUE(
      sorts(bench, singles, windowed(small_runs(KeyType::f32, 0, 3, 8), 64), Distribution::normal, 8));
  EXPECT_TRUE(sorts(bench, singles, small_runs(KeyType::f32, 0, 5, 8), Distribution::normal, 9));
}

}  // namespace
}  // namespace multiway_tests
}  // namespace bitune::test
