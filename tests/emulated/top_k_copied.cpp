// The first k of rows in shared memory, on the emulated device: keys of each width, rows that are no whole
// vectors, all distributions and several orders of threads; more rows than there are at once.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "measure/inputs.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_copied {
namespace {

struct Case {
  KeyType key;
  std::uint64_t k;
  Shape shape;
  TopKLoad load;
};

constexpr std::array cases = {Case{KeyType::f32, 8, {.n = 128, .rows = 300}, {0, 4}},
                              Case{KeyType::bf16, 20, {.n = 1000, .rows = 9}, {0, 4}},
                              Case{KeyType::f64, 5, {.n = 61, .rows = 40}, {8, 0}},
                              Case{KeyType::u8, 30, {.n = 2000, .rows = 3}, {0, 8}},
                              Case{KeyType::f16, 9, {.n = 100, .rows = 21}, {0, 0}}};

TEST(TopKCopied, GivesTheFirstKeysOfEveryDistribution) {
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    for (const Distribution distribution : all_distributions) {
      ++turn;
      const Problem problem =
          top_k_of(of.load, of.key, turn % 2 == 0 ? Order::ascending : Order::descending, of.k, of.shape);
      const Bench& bench = seeded(1 + turn % 3);
      const Configuration c = variant("copied_rows").default_configuration(problem, bench.device->info());
      EXPECT_TRUE(is_right(bench, problem, c, distribution, turn,
                           {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
    }
  }
}

}  // namespace
}  // namespace top_k_copied
}  // namespace bitune::test
