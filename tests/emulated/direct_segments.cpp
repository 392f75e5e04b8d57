// The variant direct_segments on the emulated device: a block for each of a few segments, and what no block
// holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
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

/// Tiles of 256, 512 and 1024 keys.
Configuration three_tiles(std::int64_t least = 4) {
  return {"direct_segments",
          {{"block_size_x", 64},
           {"block_items", 16},
           {"least_items", least},
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

/// Launches that follow each other are what few segments take: the lists of `segments` would be ten or more.
TEST(DirectSegments, TakesOneLaunchAndThoseOfLongSegments) {
  const Variant& direct = variant("direct_segments");
  const DeviceInfo device = h200();
  for (const auto& [count, mean] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {32, 4096}, {64, 8192}, {256, 2048}, {4, 200}, {512, 256}}) {
    const Problem problem{{.key = KeyType::u32}, {.n = count * mean, .rows = count, .ragged = true}};
    const Configuration c = default_selection(problem, device).configuration;
    ASSERT_EQ(c.variant, "direct_segments") << count << " of " << mean;
    EXPECT_EQ(direct.space(problem, device).violation(c, problem, device), std::nullopt);
    const Plan plan = direct.plan(problem, c, device);
    EXPECT_LE(plan.launches.size(), 7u);
    EXPECT_EQ(plan.launches.front().grid[0], count + 1);
    EXPECT_GE(c.at("block_size_x") * c.at("block_items"),
              static_cast<std::int64_t>(std::min<std::uint64_t>(2 * mean, 8192)));
  }
  const Problem long_ones{{.key = KeyType::u32}, {.n = 1 << 20, .rows = 8, .ragged = true}};
  EXPECT_EQ(default_selection(long_ones, device).configuration.variant, "segments");
}

}  // namespace
}  // namespace direct_segments
}  // namespace bitune::test
