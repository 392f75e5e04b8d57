// What puts candidates in order by bins, on the emulated device: keys of each width, where bins are few keys,
// one key many times, or too many keys for a bin; under an order of threads for each.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "measure/inputs.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_bins {
namespace {

struct Case {
  std::string_view variant;
  KeyType key;
  std::uint64_t k;
  Shape shape;
  std::int64_t ranks;
};

/// 700: as many as the row has candidates without a sample. 200: of those that have passed a bound.
constexpr std::array cases = {Case{"minima_rows", KeyType::f32, 200, {.n = 6000, .rows = 2}, 1},
                              Case{"minima_rows", KeyType::f32, 20, {.n = 3000}, 4},
                              Case{"minima_rows", KeyType::f64, 40, {.n = 3000}, 1},
                              Case{"minima_rows", KeyType::u8, 700, {.n = 1000}, 1},
                              Case{"bin_rows", KeyType::f32, 200, {.n = 6000, .rows = 2}, 1},
                              Case{"bin_rows", KeyType::bf16, 20, {.n = 3000}, 4},
                              Case{"bin_rows", KeyType::f64, 40, {.n = 3000}, 1},
                              Case{"bin_rows", KeyType::u8, 700, {.n = 1000}, 1}};

Configuration configuration_of(const Case& of, const Problem& problem, const DeviceInfo& device) {
  const Variant& family = variant(of.variant);
  Configuration c = family.default_configuration(problem, device);
  c.parameters["cluster_size"] = of.ranks;
  EXPECT_EQ(family.space(problem, device).violation(c, problem, device), std::nullopt) << c.text();
  return c;
}

TEST(TopKBins, GiveTheFirstKeysOfEveryDistribution) {
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    const Problem problem = top_k_of({0, 4}, of.key, Order::descending, of.k, of.shape);
    for (const Distribution distribution : all_distributions) {
      ++turn;
      if ((turn + turn / all_distributions.size()) % 2 == 0 && !tests_all())
        continue;  // each case has half of them
      const Bench& bench = seeded(1 + turn % 3);
      EXPECT_TRUE(is_right(bench, problem, configuration_of(of, problem, bench.device->info()), distribution,
                           turn, {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
    }
  }
}

TEST(TopKBins, HaveAWayOutWhereTheSampleIsWrong) {
  for (const Case& of : {cases[0], cases[4]}) {
    const Problem problem = top_k_of({0, 4}, of.key, Order::ascending, of.k, of.shape);
    const Configuration c = configuration_of(of, problem, emulated_bench().device->info());
    for (const std::uint32_t rank : {1U, 1U << 30}) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::random, rank, {.sample = rank}));
    }
  }
}

}  // namespace
}  // namespace top_k_bins
}  // namespace bitune::test
