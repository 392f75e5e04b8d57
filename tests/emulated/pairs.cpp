// Pairs and argsort on the emulated device: every key type, order and width of what travels, lengths around
// tiles, distributions in turn.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernels/radix/ramps_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace pairs_tests {
namespace {

/// How a tile is written.
struct Writing {
  std::int64_t values_beside_keys = 0;
  bool packs_places = false;  ///< as where registers are few for so many items; in tiles of 7680
};

/// Tiles of 1280 keys: so few that short arrays have several.
Configuration small_tiles(const Problem& problem, std::int64_t bits, Writing writing = {}) {
  Configuration c = variant("radix_pairs").default_configuration(problem, emulated_bench().device->info());
  c.parameters["block_size_x"] = 256;
  c.parameters["items_per_thread"] = 5;
  c.parameters["radix_bits"] = bits;
  c.parameters["min_blocks_per_sm"] = 1;
  c.parameters["values_beside_keys"] = writing.values_beside_keys;
  const auto bytes = std::max<std::size_t>({size_of(problem.key), problem.value_bytes, problem.index_bytes});
  if (writing.packs_places && bytes <= 8) {
    c.parameters["block_size_x"] = 512;
    c.parameters["items_per_thread"] = 15;
    c.parameters["min_blocks_per_sm"] = bytes == 8 ? 2 : 3;
  }
  return c;
}

class Pairs : public ::testing::TestWithParam<KeyType> {};

/// One width of values and one of indices for each type and order: all of them meet in some test. So do the
/// ways to write a tile.
TEST_P(Pairs, CarriesValuesAndIndicesOfEveryWidth) {
  constexpr std::array distributions = {Distribution::special, Distribution::random, Distribution::all_equal,
                                        Distribution::few_distinct, Distribution::special};
  constexpr std::array ways_to_write = {Writing{0}, Writing{1}, Writing{0, true}};
  const KeyType key = GetParam();
  auto turn = 7 * static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Order order : {Order::ascending, Order::descending}) {
    ++turn;
    for (const std::size_t load : {turn % 5, 5 + turn % 4}) {
      const Problem problem = problem_of(all_loads.at(load), key, order, 5000);
      sorts.emplace_back(problem, small_tiles(problem, key == KeyType::i8 ? 4 : 8,
                                              ways_to_write.at((turn + load) % ways_to_write.size())));
    }
  }
  compile_all(emulated_bench(), sorts);
  for (auto& [problem, configuration] : sorts) {
    const std::uint64_t several_tiles = configuration.at("block_size_x") == 512 ? 8000 : 5000;
    for (const std::uint64_t n :
         {std::uint64_t{2}, std::uint64_t{1279}, std::uint64_t{1281}, several_tiles}) {
      problem.n = n;
      ++turn;
      EXPECT_TRUE(is_right(emulated_bench(), problem, configuration,
                           distributions.at(turn % distributions.size()), turn, {.in_place = turn % 2 == 0}));
    }
    EXPECT_TRUE(
        is_right(emulated_bench(), problem, configuration, Distribution::special, turn, {.in_place = true}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// The digits of one pass only: then it reads the input, makes the indices and writes them.
TEST(PairsOnePass, ArgsortsBytesInOnePass) {
  const Problem problem = problem_of({Operation::argsort, 0, 4}, KeyType::i8, Order::descending, 5000);
  const Configuration configuration = small_tiles(problem, 8);
  EXPECT_TRUE(is_right(emulated_bench(), problem, configuration, Distribution::random, 3, {}));
}

/// Such a pass reads tiles while it writes others.
TEST(PairsOnePass, SortsBytesWhereTheyAre) {
  for (const Load& load : {Load{Operation::sort_pairs, 16, 0}, Load{Operation::argsort, 0, 4}}) {
    const Problem problem = problem_of(load, KeyType::u8, Order::ascending, 20001);
    for (const bool in_place : {false, true}) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, small_tiles(problem, 8), Distribution::random, 5,
                           {.in_place = in_place}));
    }
  }
}

/// Equal keys keep their places from pass to pass, in whatever order threads run.
TEST(PairsStability, HoldsUnderEveryOrderOfThreads) {
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    const Problem problem = problem_of({Operation::sort_pairs, 8, 0}, KeyType::f32, Order::descending, 3001);
    EXPECT_TRUE(is_right(seeded(order), problem, small_tiles(problem, 8), Distribution::few_distinct, order,
                         {.in_place = true}));
  }
}

/// Ramps of one, two and three steps, and tiles that pack their places. Lengths: the shortest that has ramps,
/// and the next ones, where the last tile has one key or lacks one, or the ramp down ends early.
TEST(PairsRamps, SortWhateverIsLeftForTheLastTiles) {
  struct Ramps {
    std::int64_t threads;
    std::int64_t items;
    std::int64_t blocks;
    std::int64_t bits;
    Load load;
  };
  std::uint64_t turn = 0;
  for (const Ramps& ramps :
       {Ramps{256, 11, 2, 8, {Operation::sort_pairs, 2, 0}}, Ramps{256, 19, 2, 8, {Operation::argsort, 0, 8}},
        Ramps{256, 29, 2, 4, {Operation::sort_pairs, 4, 0}},
        Ramps{512, 15, 3, 8, {Operation::sort_pairs, 4, 0}}}) {
    ++turn;
    Problem problem =
        problem_of(ramps.load, turn % 2 == 0 ? KeyType::u16 : KeyType::bf16, Order::ascending, 0);
    Configuration c = small_tiles(problem, ramps.bits);
    c.parameters["block_size_x"] = ramps.threads;
    c.parameters["items_per_thread"] = ramps.items;
    c.parameters["min_blocks_per_sm"] = ramps.blocks;
    const layout::Size at_once = ramps.blocks * emulated_bench().device->info().sm_count;
    const auto tiles_of = [&](std::uint64_t n) {
      return layout::ramped_tiles(n, ramps.threads, ramps.items, at_once);
    };
    std::uint64_t shortest = 1;
    while (tiles_of(shortest).step == 0) ++shortest;
    const auto full = static_cast<std::uint64_t>(ramps.threads * ramps.items);
    for (const std::uint64_t n : {shortest, shortest + 1, shortest + full - 1, shortest + full + 7}) {
      problem.n = n;
      const Plan plan = variant("radix_pairs").plan(problem, c, emulated_bench().device->info());
      EXPECT_EQ(plan.kernels.at(plan.launches.back().kernel).short_name(), "ramped_pairs_pass");
      ++turn;
      EXPECT_TRUE(
          is_right(emulated_bench(), problem, c, Distribution::random, turn, {.in_place = turn % 2 == 0}));
    }
  }
}

/// The whole way, with the default configuration.
TEST(PairsEngine, CarriesFewItemsAndNone) {
  auto engine = untuned_engine(emulated_bench());
  for (const Load& load : {all_loads[4], all_loads[6], all_loads[7]}) {
    for (const std::uint64_t n : {0, 1, 2, 100}) {
      for (const bool in_place : {false, true}) {
        const Problem problem = problem_of(load, KeyType::f32, Order::ascending, n, 1, false);
        EXPECT_TRUE(is_right(engine.device(), problem, Distribution::special, n, {.in_place = in_place},
                             [&](const Operands& operands) { engine.run(problem, operands, nullptr); }));
      }
    }
  }
}

}  // namespace
}  // namespace pairs_tests
}  // namespace bitune::test
