// The first k of arrays and rows on the emulated device, by every variant that can: key types, orders, what
// travels, k and shapes in turn, strides, lengths of rows, distributions.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k {
namespace {

constexpr std::array all_loads = {TopKLoad{0, 4}, TopKLoad{0, 0}, TopKLoad{4, 0}, TopKLoad{0, 8},
                                  TopKLoad{1, 0}, TopKLoad{8, 0}, TopKLoad{2, 0}, TopKLoad{16, 0}};

constexpr std::array distributions = {Distribution::special, Distribution::random, Distribution::all_equal,
                                      Distribution::few_distinct, Distribution::reversed};

constexpr std::array<Shape, 7> shapes = {{{.n = 1},
                                          {.n = 100},
                                          {.n = 33, .rows = 7},
                                          {.n = 64, .rows = 5},
                                          {.n = 1000, .rows = 3},
                                          {.n = 3000},
                                          {.n = 2500, .rows = 2}}};

/// 1, 2, a quarter, all, and one that fills no tile.
std::uint64_t k_of(std::uint64_t n, std::uint64_t turn) {
  const std::array<std::uint64_t, 5> all = {1, 2, n / 4, n, n / 3 + 1};
  return std::clamp<std::uint64_t>(all.at(turn % all.size()), 1, n);
}

CallForm call_of(const Problem& problem, std::uint64_t turn) {
  return {.gaps = turn % 2 == 0,
          .with_keys = problem.index_bytes == 0 || turn % 3 != 0,
          .length_bytes = turn % 4 == 1   ? 4u
                          : turn % 4 == 2 ? 8u
                                          : 0u};
}

/// The variants that can, in their order.
std::vector<const Variant*> families_for(const Problem& problem) {
  std::vector<const Variant*> families;
  for (const Variant* family : variants()) {
    if (family->supports(problem, emulated_bench().device->info())) families.push_back(family);
  }
  return families;
}

class TopK : public ::testing::TestWithParam<KeyType> {};

/// Over the types all loads, orders, shapes and kinds of k meet. Every variant takes every third of the
/// shapes that it can do, other types take the others; BITUNE_TEST_ALL: all of them.
TEST_P(TopK, EveryVariantGivesTheFirstKeys) {
  const KeyType key = GetParam();
  const DeviceInfo& device = emulated_bench().device->info();
  const auto type = static_cast<std::uint64_t>(key);
  auto turn = 7 * type;
  std::vector<Problem> problems;
  for (const Shape& shape : shapes) {
    ++turn;
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    problems.push_back(
        top_k_of(all_loads.at(turn % all_loads.size()), key, order, k_of(shape.n, turn), shape));
  }
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Variant* family : variants()) {
    std::vector<Problem> able;
    std::copy_if(problems.begin(), problems.end(), std::back_inserter(able),
                 [&](const Problem& problem) { return family->supports(problem, device); });
    const std::uint64_t every = tests_all() ? 1 : std::clamp<std::uint64_t>(able.size(), 1, 3);
    for (std::size_t i = (type + family->name().size()) % every; i < able.size(); i += every) {
      for (auto& c : sample_configurations(*family, able[i], device, 1, turn + i))
        sorts.emplace_back(able[i], std::move(c));
    }
  }
  ASSERT_FALSE(sorts.empty());
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    for (int i = 0; i < 2; ++i) {
      ++turn;
      EXPECT_TRUE(is_right(emulated_bench(), problem, configuration,
                           distributions.at(turn % distributions.size()), turn, call_of(problem, turn)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TopK, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Of equal keys the first ones are given, in whatever order threads run.
TEST(TopKStability, HoldsUnderEveryOrderOfThreads) {
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Shape& shape : {shapes[4], shapes[5]}) {
    const Problem problem = top_k_of(all_loads[0], KeyType::f32, Order::descending, 70, shape);
    for (const Variant* family : families_for(problem)) {
      sorts.emplace_back(problem, family->default_configuration(problem, seeded(1).device->info()));
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    for (const std::uint64_t order : {1u, 2u, 3u}) {
      EXPECT_TRUE(is_right(seeded(order), problem, c, Distribution::special, order,
                           {.length_bytes = order == 2 ? 8u : 0u}));
    }
  }
}

/// The whole way, with the default configuration.
TEST(TopKEngine, GivesTheFirstKeysOfRowsOfAllLengthsAndNone) {
  auto engine = untuned_engine(emulated_bench());
  std::uint64_t turn = 0;
  for (const TopKLoad& load : {all_loads[0], all_loads[1], all_loads[2]}) {
    for (const std::uint64_t n : {1, 2, 100}) {
      for (const std::uint64_t rows : {0, 1, 6}) {
        ++turn;
        const Problem problem =
            top_k_of(load, KeyType::f32, Order::ascending, k_of(n, turn), {.n = n, .rows = rows});
        const auto run = [&](const Operands& operands) { engine.run(problem, operands, nullptr); };
        for (unsigned i = 0; i < 4; ++i) {
          EXPECT_TRUE(is_right(engine.device(), problem, Distribution::special, turn,
                               call_of(problem, turn + i), run));
        }
      }
    }
  }
}

}  // namespace
}  // namespace top_k
}  // namespace bitune::test
