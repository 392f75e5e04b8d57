// The variant direct_segments on the emulated device: a block for each of a few segments, and what no block
// holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/segment_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace direct_segments {
namespace {

/// Tiles of 256, 512 and 1024 keys, or of clusters: the least is what one block sorts alone.
Configuration three_tiles(std::int64_t least = 4, std::int64_t blocks = 1, std::int64_t longer_blocks = 0) {
  return {"direct_segments",
          {{"cluster_size", blocks},
           {"block_size_x", 64},
           {"block_items", 16},
           {"least_items", least},
           {"longer_blocks", longer_blocks},
           {"shuffle_steps", 2},
           {"compare_as_double", 0},
           {"imad_quarters", 1},
           {"dependent_launch", 0}}};
}

/// Around the ends of all tiles, and what no block holds, between empty ones and single keys.
const std::vector<std::uint64_t> all_lengths = {0,   1,    2,    255,  0,   256, 257,  512, 513, 33,
                                                900, 1024, 1025, 3000, 130, 0,   2100, 64,  1,   3};

TEST(DirectSegments, SortsAllLengths) {
  const SegmentPlaces places = places_of(all_lengths, 4, true);
  for (const KeyType key : {KeyType::u32, KeyType::f64, KeyType::i8}) {
    const Order order = key == KeyType::i8 ? Order::descending : Order::ascending;
    EXPECT_TRUE(sorts_segments(emulated_bench(), {.key = key, .order = order}, places, three_tiles(),
                               Distribution::special, 1, key == KeyType::f64))
        << name_of(key);
  }
}

TEST(DirectSegments, CarriesValuesAndIndices) {
  const SegmentPlaces places = places_of(all_lengths, 8, false);
  for (const std::size_t load : {1u, 3u}) {
    const KeyType key = load == 1 ? KeyType::f32 : KeyType::u16;
    const Problem spec = problem_of(all_loads.at(load), key, Order::ascending, 1);
    EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places, three_tiles(8), hard_for_stable_sorts.at(0),
                               load, load == 1))
        << name_of(key);
  }
}

/// One block, a cluster of 1024 or 2048 keys, and a large cluster: each by the one that holds it.
TEST(DirectSegments, SortsInClusters) {
  const SegmentPlaces places =
      places_of({0, 1, 511, 512, 513, 2, 1024, 1025, 0, 2048, 2049, 7, 9000, 3, 1500, 2100}, 4, true);
  const Configuration c = three_tiles(8, 2, 8);
  EXPECT_TRUE(sorts_segments(emulated_bench(), {.key = KeyType::f32, .order = Order::descending}, places, c,
                             Distribution::special, 1, true));
  for (const std::size_t load : {1u, 3u}) {
    const Problem spec = problem_of(all_loads.at(load), KeyType::f32, Order::ascending, 1);
    EXPECT_TRUE(
        sorts_segments(emulated_bench(), spec, places, c, hard_for_stable_sorts.at(0), load, load == 1))
        << load;
  }
  EXPECT_TRUE(keeps_within_keys(emulated_bench(), {.key = KeyType::u32},
                                {0, 2000, 100, 5, ~std::uint64_t{0}, 3, 2900, 2800, 998}, {}, 8, 3000, c));
}

TEST(DirectSegments, ByDefault) {
  const SegmentPlaces places = places_of(all_lengths);
  const Problem problem = places.problem({.key = KeyType::u32});
  EXPECT_EQ(default_selection(problem, test::h200()).configuration.variant, "direct_segments");
  const Configuration c =
      variant("direct_segments").default_configuration(problem, emulated_bench().device->info());
  EXPECT_TRUE(sorts_segments(emulated_bench(), problem, places, c, Distribution::random, 4, true));
}

/// In whatever order threads run.
TEST(DirectSegments, HasAllBarriersThatItNeeds) {
  for (const std::uint64_t order : {1u, 2u}) {
    const SegmentPlaces places = places_of(all_lengths, 4, order == 1);
    EXPECT_TRUE(sorts_segments(seeded(order), {.key = KeyType::u32}, places, three_tiles(),
                               Distribution::random, order, true));
  }
}

TEST(DirectSegments, KeepsWithinTheKeysWhateverTheOffsets) {
  constexpr std::uint64_t keys = 3000;
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const SortSpec spec{.key = KeyType::u32};
  for (const std::vector<std::uint64_t>& offsets :
       {std::vector<std::uint64_t>{0, 2000, 100, 5, most, 3, 2900, 2800, 998, most - 3},
        {2500, 0, 3000, 0, 3000}}) {
    EXPECT_TRUE(keeps_within_keys(emulated_bench(), spec, offsets, {}, 8, keys, three_tiles()));
  }
  // Twenty segments that are all keys: more than there is room for in the list of long ones.
  EXPECT_TRUE(keeps_within_keys(emulated_bench(), spec, std::vector<std::uint64_t>(20, 0),
                                std::vector<std::uint64_t>(20, keys), 4, keys, three_tiles()));
}

/// Launches that follow each other are what few segments take. Long ones have one of their own.
TEST(DirectSegments, TakesTwoLaunches) {
  const Variant& direct = variant("direct_segments");
  const DeviceInfo device = h200();
  struct Expected {
    std::uint64_t count, mean, blocks;
  };
  for (const Expected& wanted :
       {Expected{32, 4096, 8}, {32, 16384, 8}, {64, 8192, 1}, {256, 2048, 1}, {4, 200, 1}}) {
    const Problem problem{{.key = KeyType::u32},
                          {.n = wanted.count * wanted.mean, .rows = wanted.count, .ragged = true}};
    const Configuration c = default_selection(problem, device).configuration;
    ASSERT_EQ(c.variant, "direct_segments") << text_of(problem);
    EXPECT_EQ(direct.space(problem, device).violation(c, problem, device), std::nullopt);
    const Plan plan = direct.plan(problem, c, device);
    EXPECT_EQ(plan.launches.size(), 2u) << text_of(problem);
    EXPECT_EQ(plan.launches.front().cluster, wanted.blocks) << text_of(problem);
    EXPECT_EQ(plan.launches.front().grid[0], (wanted.count + 1) * wanted.blocks);
  }
  const Problem long_ones{{.key = KeyType::u32}, {.n = 1 << 20, .rows = 8, .ragged = true}};
  EXPECT_EQ(default_selection(long_ones, device).configuration.variant, "segments");
}

}  // namespace
}  // namespace direct_segments
}  // namespace bitune::test
