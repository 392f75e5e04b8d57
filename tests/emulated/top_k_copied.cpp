// The first k of rows that are copied to shared memory while those before them are looked at, on the emulated
// device: keys of each width, rows that are no whole vectors, all distributions and several orders of
// threads; more rows than there are at once.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/inputs.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_copied {
namespace {

struct Case {
  std::string_view variant;
  KeyType key;
  std::uint64_t k;
  Shape shape;
  TopKLoad load;
};

constexpr std::array cases = {Case{"copied_rows", KeyType::f32, 8, {.n = 128, .rows = 300}, {0, 4}},
                              Case{"copied_rows", KeyType::bf16, 20, {.n = 1000, .rows = 9}, {0, 4}},
                              Case{"copied_rows", KeyType::f64, 5, {.n = 61, .rows = 40}, {8, 0}},
                              Case{"copied_rows", KeyType::u8, 30, {.n = 2000, .rows = 3}, {0, 8}},
                              Case{"copied_rows", KeyType::f16, 9, {.n = 100, .rows = 21}, {0, 0}},
                              Case{"persistent_rows", KeyType::f32, 30, {.n = 2000, .rows = 11}, {0, 4}},
                              Case{"persistent_rows", KeyType::u32, 9, {.n = 5001, .rows = 5}, {0, 8}},
                              Case{"persistent_rows", KeyType::f64, 20, {.n = 1500, .rows = 9}, {8, 0}},
                              Case{"persistent_rows", KeyType::i64, 3, {.n = 3000, .rows = 6}, {0, 0}}};

/// The default; but of few blocks, so that each has several rows, and a cluster has a row now and then.
Configuration configuration_of(const Case& of, const Problem& problem, const DeviceInfo& device,
                               std::uint64_t turn) {
  Configuration c = variant(of.variant).default_configuration(problem, device);
  if (of.variant != "persistent_rows") return c;
  c.parameters["min_blocks_per_sm"] = 1;
  Configuration shared = c;
  shared.parameters["cluster_size"] = 2;
  shared.parameters["block_size_x"] /= 2;
  const SearchSpace space = variant(of.variant).space(problem, device);
  return turn % 2 != 0 && !space.violation(shared, problem, device) ? shared : c;
}

TEST(TopKCopied, GivesTheFirstKeysOfEveryDistribution) {
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Case& of : cases) {
    for (std::size_t d = 0; d < all_distributions.size(); ++d) {
      const std::uint64_t turn = sorts.size() + 1;
      const Problem problem =
          top_k_of(of.load, of.key, turn % 2 == 0 ? Order::ascending : Order::descending, of.k, of.shape);
      sorts.emplace_back(problem, configuration_of(of, problem, seeded(1).device->info(), turn));
    }
  }
  compile_all(seeded(1), sorts);
  std::uint64_t turn = 0;
  for (const auto& [problem, c] : sorts) {
    const Distribution distribution = all_distributions.at(turn % all_distributions.size());
    ++turn;
    EXPECT_TRUE(is_right(seeded(1 + turn % 3), problem, c, distribution, turn,
                         {.gaps = turn % 2 == 0, .length_bytes = turn % 4 == 1 ? 4U : 0U}));
  }
}

}  // namespace
}  // namespace top_k_copied
}  // namespace bitune::test
