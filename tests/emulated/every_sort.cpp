// Every key type x operation x order x stability x shape, as the engine sorts it where nothing is tuned. The
// widths of values and indices take turns, so that each meets each half of the types; the tests of the
// variants have the lengths.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace every_sort {
namespace {

class EverySort : public ::testing::TestWithParam<KeyType> {
 protected:
  /// What is done to keys of the type in this order: keys alone, pairs, indices alone, keys with indices.
  static std::vector<SortSpec> specs(KeyType key, Order order) {
    constexpr std::array<std::uint32_t, 5> value_widths = {1, 2, 4, 8, 16};
    constexpr std::array<std::uint32_t, 2> index_widths = {4, 8};
    const auto turn = 2 * static_cast<std::size_t>(key) + (order == Order::descending ? 1 : 0);
    return {{.operation = Operation::sort, .key = key, .order = order},
            {.operation = Operation::sort_pairs,
             .key = key,
             .value_bytes = value_widths.at(turn % value_widths.size()),
             .order = order},
            {.operation = Operation::argsort,
             .key = key,
             .index_bytes = index_widths.at(turn / 2 % 2),
             .order = order},
            {.operation = Operation::sort,
             .key = key,
             .index_bytes = index_widths.at((turn / 2 + turn) % 2),
             .order = order}};
  }
};

TEST_P(EverySort, AsArrayAndAsRows) {
  constexpr std::array<Shape, 2> shapes = {Shape{.n = 90}, Shape{.n = 90, .rows = 3}};
  const Bench& bench = emulated_bench();
  std::vector<Problem> problems;
  std::vector<std::pair<Problem, Configuration>> to_compile;
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const SortSpec& spec : specs(GetParam(), order)) {
      for (const Shape& shape : shapes) {
        for (const bool stable : {false, true}) {
          Problem problem{spec, shape};
          problem.stable = stable;
          problems.push_back(problem);
          to_compile.emplace_back(problem, default_selection(problem, bench.device->info()).configuration);
        }
      }
    }
  }
  compile_all(bench, to_compile);
  auto engine = untuned_engine(bench);
  std::uint64_t turn = 0;
  for (const Problem& problem : problems) {
    const auto run = [&](const Operands& operands) { engine.run(problem, operands, nullptr); };
    const bool in_place = problem.operation != Operation::argsort && ++turn % 2 == 0;
    for (const Distribution distribution : {Distribution::special, Distribution::few_distinct}) {
      EXPECT_TRUE(is_right(engine.device(), problem, distribution, ++turn,
                           {.in_place = in_place, .gaps = problem.rows > 1}, run));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySort, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace every_sort
}  // namespace bitune::test
