// Segments by digits, on the emulated device: every width of key and of what travels, digits of every width,
// segments of one tile, of many, and of one key; offsets that are wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/segment_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace segments_radix {
namespace {

/// Tiles of 640 keys.
Configuration small_tiles(std::int64_t bits, std::int64_t copies = 8) {
  return {"segments_radix",
          {{"long_block_size", 128},
           {"long_items", 5},
           {"long_radix_bits", bits},
           {"long_min_blocks", 2},
           {"long_count_copies", copies},
           {"dependent_launch", 1}}};
}

/// Around one tile, two, and several; none and one key.
std::vector<std::uint64_t> lengths_around_tiles() {
  return {640, 0, 1, 2000, 641, 2, 5, 0, 1279, 1280, 1281, 1, 639, 3};
}

class SegmentsRadix : public ::testing::TestWithParam<KeyType> {};

TEST_P(SegmentsRadix, SortsEachSegment) {
  const auto turn = static_cast<std::uint64_t>(GetParam());
  const SortSpec spec{.key = GetParam(), .order = turn % 2 == 0 ? Order::ascending : Order::descending};
  const SegmentPlaces places = places_of(lengths_around_tiles(), turn % 3 == 0 ? 8 : 4, turn % 2 == 0);
  const std::int64_t bits = size_of(spec.key) == 1 ? 4 : size_of(spec.key) == 8 || turn % 2 == 0 ? 8 : 7;
  EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places, small_tiles(bits),
                             turn % 3 == 0 ? Distribution::random : Distribution::special, turn,
                             turn % 4 < 2));
}

INSTANTIATE_TEST_SUITE_P(All, SegmentsRadix, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(SegmentsRadixPairs, AreStableWhateverTravels) {
  std::uint64_t turn = 0;
  for (const SortSpec& spec :
       {SortSpec{.operation = Operation::sort_pairs, .key = KeyType::u8, .value_bytes = 1},
        SortSpec{.operation = Operation::sort_pairs,
        .key = KeyType::f16,
        .value_bytes = 2,
        .order = Order::descending},
        SortSpec{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 16},
        SortSpec{.operation = Operation::sort_pairs, .key = KeyType::i64, .value_bytes = 8},
        SortSpec{.operation = Operation::sort, .key = KeyType::bf16, .index_bytes = 8},
        SortSpec{.operation = Operation::argsort, .key = KeyType::u32, .index_bytes = 4},
        SortSpec{.operation = Operation::argsort, .key = KeyType::u8, .index_bytes = 4}}) {
    ++turn;
    SortSpec stable = spec;
    stable.stable = true;
    const bool one_pass = spec.operation == Operation::argsort && spec.key == KeyType::u8;
    const bool in_place = turn % 2 == 0 && spec.operation != Operation::argsort;
    const std::int64_t bits = one_pass ? 8 : size_of(spec.key) == 1 ? 4 : turn == 3 ? 7 : 8;
    EXPECT_TRUE(sorts_segments(
        emulated_bench(), stable, places_of(lengths_around_tiles(), 4, turn % 2 == 0), small_tiles(bits),
        turn % 2 == 0 ? Distribution::few_distinct : Distribution::special, turn, in_place))
        << turn;
  }
}

/// Most tiles wait for others, and few counters are anyone's own.
TEST(SegmentsRadixShapes, OneSegmentOfAllKeysAndManyOfOne) {
  const SortSpec spec{.key = KeyType::u32};
  for (const Distribution distribution :
       {Distribution::random, Distribution::sorted, Distribution::all_equal}) {
    EXPECT_TRUE(
        sorts_segments(emulated_bench(), spec, places_of({20001}), small_tiles(8), distribution, 5, true));
  }
  EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places_of(std::vector<std::uint64_t>(3000, 1), 8),
                             small_tiles(8), Distribution::random, 6, false));
  EXPECT_TRUE(
      sorts_segments(emulated_bench(), spec, places_of({}), small_tiles(8), Distribution::random, 7, false));
  EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places_of({0, 0, 0}, 4, true), small_tiles(8),
                             Distribution::random, 8, false));
}

/// More segments than a block maps at once, and of all lengths.
TEST(SegmentsRadixShapes, ManySegmentsUnderEveryOrderOfThreads) {
  for (const std::uint64_t order : {1u, 2u}) {
    std::vector<std::uint64_t> lengths = mixed_lengths(60, 1500, order);
    EXPECT_TRUE(sorts_segments(seeded(order), {.key = KeyType::u16}, places_of(lengths, 4, true),
                               small_tiles(order == 1 ? 8 : 6, order == 1 ? 32 : 4), Distribution::random,
                               order, true));
  }
}

TEST(SegmentsRadixShapes, WrongOffsetsTouchNothingElse) {
  const std::uint64_t most = ~std::uint64_t{0};
  const SortSpec keys{.key = KeyType::u32};
  const SortSpec pairs{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4};
  // All of the keys again and again, which is more than there are; parts that overlap; what lies behind them.
  const std::vector<std::uint64_t> again = {0, 3000, 0, 3000, 0, 3000};
  const std::vector<std::uint64_t> overlapping = {0, 700, 100, 1400, 10, 2900};
  const std::vector<std::uint64_t> overlapping_ends = {1000, 1300, 900, most, 3000, 2000};
  for (const SortSpec& spec : {keys, pairs}) {
    EXPECT_TRUE(keeps_within_keys(emulated_bench(), spec, again, {}, 4, 3000, small_tiles(8)));
    EXPECT_TRUE(
        keeps_within_keys(emulated_bench(), spec, overlapping, overlapping_ends, 8, 3000, small_tiles(8)));
  }
}

}  // namespace
}  // namespace segments_radix
}  // namespace bitune::test
