// Arrays and rows with values and indices that are split exactly, on the emulated device: what travels, key
// types, orders, splitting, strides, in place and not, distributions in turn.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace multiway_by_place {
namespace {

/// Runs of 256 items: so few that short rows have several.
Configuration short_runs(const Problem& problem, std::int64_t levels, std::int64_t window,
                         std::int64_t doubles) {
  Configuration c =
      variant("multiway_by_place").default_configuration(problem, emulated_bench().device->info());
  c.parameters["block_size_x"] = 64;
  c.parameters["items_per_thread"] = 4;
  c.parameters["min_blocks_per_sm"] = 1;
  c.parameters["split_threads"] = levels == 0 ? 256 : 128;
  c.parameters["split_pivots"] = 3;
  c.parameters["split_levels"] = levels;
  c.parameters["split_window"] = window;
  c.parameters["compare_as_double"] = c.at("values_in_word") != 0 ? 0 : doubles;
  return c;
}

/// Sorts of a few lengths with each of all forms in turn.
void check(const Bench& bench, const Load& load, KeyType key, Order order, bool stable, std::int64_t levels,
           std::int64_t window, std::int64_t doubles) {
  auto turn = static_cast<std::uint64_t>(key) + static_cast<std::uint64_t>(levels);
  Problem problem = problem_of(load, key, order, 3000, 3, stable);
  const Configuration c = short_runs(problem, levels, window, doubles);
  for (const std::uint64_t n : {2, 255, 257, 700, 3001}) {
    ++turn;
    problem.n = n;
    problem.rows = 1 + turn % 3;
    EXPECT_TRUE(is_right(bench, problem, c, hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()),
                         turn, {.in_place = turn % 2 == 0, .gaps = turn % 3 == 0}));
  }
}

TEST(MultiwayByPlace, CarriesEveryWidthStably) {
  std::int64_t turn = 0;
  constexpr std::array keys = {KeyType::f32, KeyType::u32, KeyType::bf16, KeyType::i8};
  for (const Load& load : all_loads) {
    const KeyType key = keys.at(static_cast<std::size_t>(turn) % keys.size());
    check(seeded(static_cast<std::uint64_t>(turn) % 3), load, key,
          turn % 2 == 0 ? Order::descending : Order::ascending, true, turn % 3 == 1 ? 1 : 0,
          turn % 3 == 2 ? 64 : 0, size_of(key) == 4 ? 1 - turn / 4 % 2 : 0);
    ++turn;
  }
}

/// Where values have the places' bits, NaNs have theirs.
TEST(MultiwayByPlace, HoldsValuesInWordsWhereNothingNeedsToBeStable) {
  check(seeded(1), all_loads[3], KeyType::f32, Order::descending, false, 0, 64, 0);
  check(seeded(2), all_loads[0], KeyType::f16, Order::ascending, false, 0, 0, 0);
}

/// In place, values and the bits of NaNs are kept before they are overwritten.
TEST(MultiwayByPlace, KeepsWhatItOverwrites) {
  for (const std::uint64_t order : {1u, 2u}) {
    const Problem problem = problem_of(all_loads[3], KeyType::f32, Order::ascending, 1500, 2);
    EXPECT_TRUE(is_right(seeded(order), problem, short_runs(problem, 0, 64, 1), Distribution::special, order,
                         {.in_place = true}));
  }
}

}  // namespace
}  // namespace multiway_by_place
}  // namespace bitune::test
