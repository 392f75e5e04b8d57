// Segments on the emulated device: every key type and order, lengths around the ends of classes, offsets of
// both widths, gaps, in place and not; and offsets that are wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/segment_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace segments {
namespace {

/// All that there are around the ends of classes of length, in an order that mixes them.
std::vector<std::uint64_t> lengths_of_all_classes(std::uint64_t most) {
  std::vector<std::uint64_t> lengths = {0, 0};
  for (std::uint64_t end = 1; end <= most; end *= 2) {
    lengths.insert(lengths.begin(), {end, end + end / 2 + 1});
    lengths.insert(lengths.end(), {end + 1, 0, end + end / 2, end - 1});
  }
  for (std::uint64_t& length : lengths) length = std::min(length, most);
  return lengths;
}

/// Small tiles, so that all kinds of kernels have something to sort. Its lists have room for all keys.
Configuration small_configuration(std::uint64_t keys, std::int64_t lists = 1, int lane_items = 8) {
  const int bits_of_warp = std::bit_width(static_cast<unsigned>(32 * lane_items)) - 1;
  const std::int64_t octaves = std::max(1, ceil_log2(keys) - bits_of_warp);
  return {"segments",
          {{"block_size_x", 64},
           {"segments_per_block", 16},
           {"lane_items", lane_items},
           {"copied_keys", 0},
           {"block_lists", lists},
           {"list_octaves", (octaves + lists - 1) / lists},
           {"block_items", 8},
           {"shuffle_steps", 2},
           {"compare_as_double", 0},
           {"imad_quarters", 0},
           {"min_blocks_per_sm", 1},
           {"long_buckets", 0},
           {"dependent_launch", 0}}};
}

class Segments : public ::testing::TestWithParam<KeyType> {};

TEST_P(Segments, SortsAllClassesOfLength) {
  const KeyType key = GetParam();
  const auto turn = static_cast<std::uint64_t>(key);
  const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
  const SegmentPlaces places = places_of(lengths_of_all_classes(900), turn % 3 == 0 ? 8 : 4, turn % 2 == 0);
  EXPECT_TRUE(sorts_segments(emulated_bench(), {.key = key, .order = order}, places,
                             small_configuration(places.keys, turn % 4 == 0 ? 5 : 1),
                             turn % 3 == 0 ? Distribution::random : Distribution::special, turn,
                             turn % 5 == 0));
}

/// Comparators of three: segments of each length that one lane sorts, and the longest of each class that
/// several lanes do.
class SegmentsByThrees : public ::testing::TestWithParam<KeyType> {
 protected:
  std::uint64_t turn_ = static_cast<std::uint64_t>(GetParam());
  SegmentPlaces places_ = places_of(lengths(), turn_ % 2 == 0 ? 4 : 8, turn_ % 2 == 0);
  Configuration configuration_ = configuration();

 private:
  [[nodiscard]] std::uint64_t items() const { return turn_ % 2 == 0 ? 18 : 27; }

  [[nodiscard]] std::vector<std::uint64_t> lengths() const {
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t length = 0; length <= items() + 1; ++length) lengths.push_back(length);
    for (std::uint64_t lanes = 2; lanes <= 32; lanes *= 2) {
      for (const std::uint64_t most : {lanes * items(), lanes * items() * 2 / 3}) {
        lengths.insert(lengths.begin() + static_cast<std::ptrdiff_t>(lanes / 2), {most, most + 1, most - 1});
      }
    }
    return lengths;
  }

  [[nodiscard]] Configuration configuration() const {
    Configuration c = small_configuration(places_.keys, 2, static_cast<int>(items()));
    c.parameters["list_octaves"] = 1;
    return c;
  }
};

TEST_P(SegmentsByThrees, SortAllLengths) {
  const bool copies = size_of(GetParam()) < 8 && turn_ % 4 == 3;
  configuration_.parameters["copied_keys"] = copies ? 2048 : 0;
  for (const Order order : {Order::ascending, Order::descending}) {
    EXPECT_TRUE(sorts_segments(emulated_bench(), {.key = GetParam(), .order = order}, places_, configuration_,
                               order == Order::ascending ? Distribution::random : Distribution::special,
                               turn_, turn_ % 5 == 0));
  }
}

/// Words have a key's leading bits alone, where it has more than 16. Keys that agree in these, and others.
TEST_P(SegmentsByThrees, CarryValuesAndIndices) {
  const Order order = turn_ % 2 == 0 ? Order::descending : Order::ascending;
  const Problem spec = problem_of(all_loads.at(turn_ % all_loads.size()), GetParam(), order, 1);
  for (const Distribution distribution :
       {Distribution::random, Distribution::special, Distribution::few_distinct, Distribution::zipf}) {
    EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places_, configuration_, distribution, turn_,
                               distribution == Distribution::random))
        << static_cast<int>(distribution);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SegmentsByThrees, ::testing::ValuesIn(all_key_types),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(SegmentsVariant, SortsWhateverTheConfiguration) {
  const Variant& family = variant("segments");
  std::uint64_t turn = 0;
  std::vector<std::pair<Problem, Configuration>> sorts;
  std::vector<SegmentPlaces> all_places;
  for (const std::uint64_t most : {3u, 30u, 300u, 3000u}) {
    const SegmentPlaces places = places_of(mixed_lengths(40, most, most), most % 2 == 0 ? 4 : 8, most == 30);
    const Problem problem = places.problem({.key = most == 300 ? KeyType::u64 : KeyType::f32});
    for (auto& c : sample_configurations(family, problem, emulated_bench().device->info(), 3, most)) {
      sorts.emplace_back(problem, std::move(c));
      all_places.push_back(places);
    }
  }
  compile_all(emulated_bench(), sorts);
  for (std::size_t i = 0; i < sorts.size(); ++i) {
    const auto& [problem, configuration] = sorts[i];
    ++turn;
    EXPECT_TRUE(sorts_segments(emulated_bench(), problem, all_places[i], configuration, Distribution::random,
                               turn, turn % 2 == 0));
  }
}

/// Every type and width of what travels is met: stable, in place and not.
TEST_P(Segments, CarriesValuesAndIndices) {
  const KeyType key = GetParam();
  const auto turn = static_cast<std::uint64_t>(key);
  const Load& load = all_loads.at(turn % all_loads.size());
  const Order order = turn % 2 == 0 ? Order::descending : Order::ascending;
  const Problem spec = problem_of(load, key, order, 1);
  const SegmentPlaces places = places_of(lengths_of_all_classes(200), turn % 3 == 0 ? 4 : 8, turn % 2 == 0);
  Configuration c = small_configuration(places.keys);
  c.parameters["lane_items"] = 4;
  c.parameters["block_lists"] = 2;
  c.parameters["list_octaves"] = (std::max(2, ceil_log2(places.keys) - 7) + 1) / 2;
  c.parameters["compare_as_double"] = size_of(key) == 4 && turn % 2 == 0 ? 1 : 0;
  for (const bool in_place : {false, true}) {
    EXPECT_TRUE(sorts_segments(emulated_bench(), spec, places, c,
                               hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()), turn,
                               in_place));
  }
}

/// Blocks copy what lies together: with longer segments in between, which are others' to sort, and in places
/// that begin anywhere. Some have more keys than they may copy, or too few short ones among them.
TEST_P(Segments, CopiesNeighbours) {
  const KeyType key = GetParam();
  const auto turn = static_cast<std::uint64_t>(key);
  std::vector<std::uint64_t> lengths = mixed_lengths(70, 40, turn);
  lengths[20] = 270;
  lengths[40] = 600;
  std::fill(lengths.begin() + 22, lengths.begin() + 32, 40);
  std::fill(lengths.begin() + 48, lengths.begin() + 64, 70);
  SegmentPlaces places = places_of(lengths, turn % 2 == 0 ? 4 : 8);
  for (std::uint64_t& begin : places.begins) begin += 1 + turn;
  places.keys += 1 + turn;
  Configuration c = small_configuration(places.keys);
  c.parameters["copied_keys"] = 1024;
  const Problem pairs = problem_of(all_loads.at(turn % all_loads.size()), key, Order::descending, 1);
  for (const bool in_place : {false, true}) {
    EXPECT_TRUE(
        sorts_segments(emulated_bench(), {.key = key}, places, c, Distribution::special, turn, in_place));
    EXPECT_TRUE(
        sorts_segments(emulated_bench(), pairs, places, c, Distribution::few_distinct, turn, in_place));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Segments, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Blocks whose segments are all of one length sort them as rows, in whatever place and number; others do
/// not. (Sixteen segments a block.)
TEST_P(Segments, SortsThoseOfOneLengthAsRows) {
  const KeyType key = GetParam();
  const auto turn = static_cast<std::uint64_t>(key);
  const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
  for (const std::uint64_t length : {2u, 16u, 31u, 100u, 512u}) {
    std::vector<std::uint64_t> lengths(std::min<std::uint64_t>(149, 4000 / length), length);
    const Distribution distribution = length % 2 == 0 ? Distribution::special : Distribution::random;
    for (const bool all_are : {true, false}) {
      if (!all_are) std::tie(lengths[3], lengths[4]) = std::pair{length - 1, length + 1};
      const SegmentPlaces places = places_of(lengths, length % 3 == 0 ? 8 : 4);
      EXPECT_TRUE(sorts_segments(emulated_bench(), {.key = key, .order = order}, places,
                                 small_configuration(places.keys, places.keys > 512 ? 2 : 1), distribution,
                                 length, all_are))
          << length;
    }
  }
}

/// A copy begins as far from a multiple of 16 bytes as the input does. The output may begin elsewhere.
TEST(SegmentsVariant, CopiesToWhereverTheOutputBegins) {
  const Bench& bench = emulated_bench();
  const SegmentPlaces places = places_of(mixed_lengths(40, 30, 5));
  const SortSpec spec{.key = KeyType::u32};
  Configuration c = small_configuration(places.keys);
  c.parameters["copied_keys"] = 1024;
  for (const std::size_t shift : {0u, 1u, 2u, 3u}) {
    std::vector<std::uint32_t> shifted(shift + places.keys);
    EXPECT_TRUE(by_configuration(bench, places.problem(spec), c, [&](const CallRunner& run) {
      const CallRunner from_there = [&](const Operands& given) {
        std::memcpy(&shifted[shift], given.input().data, places.keys * sizeof(std::uint32_t));
        Operands operands = given;
        operands[Role::keys_in].data = &shifted[shift];
        run(operands);
      };
      return sorts_segments(*bench.device, spec, places, Distribution::random, shift, false, from_there);
    })) << shift;
  }
}

/// What no block holds is sorted digit by digit, beside all others.
TEST(SegmentsVariant, SortsSegmentsThatNoBlockHolds) {
  const SegmentPlaces places = places_of({3, 1500, 0, 513, 300, 2000, 40, 512}, 4, true);
  Configuration c = small_configuration(1);
  EXPECT_EQ(c.at("block_lists") * c.at("list_octaves"), 1) << "a block holds 512 keys";
  const SortSpec keys{.key = KeyType::i16, .order = Order::descending};
  EXPECT_TRUE(sorts_segments(emulated_bench(), keys, places, c, Distribution::random, 1, false));
  const Problem pairs = problem_of(all_loads[3], KeyType::f32, Order::ascending, 1);
  EXPECT_TRUE(sorts_segments(emulated_bench(), pairs, places, c, Distribution::special, 2, true));
}

/// With lists up to 4096 keys, of which the longest are sorted by digits where something travels.
Configuration configuration_by_digits() {
  Configuration c = small_configuration(1, 4);
  c.parameters["list_octaves"] = 1;
  return c;
}

/// Segments that fill three quarters of a block's items, and those that fill more.
TEST(SegmentsVariant, CarriesValuesAndIndicesByDigits) {
  const SegmentPlaces places =
      places_of({1536, 30, 2049, 1024, 4096, 1025, 0, 3072, 2048, 1, 3073, 1537, 600}, 4, true);
  std::uint64_t turn = 0;
  for (const KeyType key :
       {KeyType::f32, KeyType::u8, KeyType::bf16, KeyType::i64, KeyType::u32, KeyType::f64}) {
    const Load& load = all_loads.at((2 * turn + 3) % all_loads.size());
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    EXPECT_TRUE(
        sorts_segments(seeded(turn), problem_of(load, key, order, 1), places, configuration_by_digits(),
                       hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()), turn, turn % 3 == 0))
        << turn;
    ++turn;
  }
}

/// What no block holds is cut to buckets. Keys that agree in their highest digit make one that no block
/// holds. There are more shares of buckets than blocks.
TEST(SegmentsVariant, SortsSegmentsBucketByBucket) {
  const SegmentPlaces places = places_of({3, 1500, 0, 1025, 300, 2600, 1, 1024, 1100, 1030}, 8, true);
  Configuration c = small_configuration(1);
  c.parameters["segments_per_block"] = 8;
  c.parameters["list_octaves"] = 2;
  c.parameters["long_buckets"] = 1;
  const auto sorts = [&](const SortSpec& spec, Distribution distribution, std::uint64_t seed) {
    return sorts_segments(seeded(seed), spec, places, c, distribution, seed, seed % 2 == 0);
  };
  const SortSpec pairs = problem_of(all_loads[3], KeyType::f32, Order::ascending, 1);
  EXPECT_TRUE(sorts({.key = KeyType::u16}, Distribution::random, 1));
  EXPECT_TRUE(sorts({.key = KeyType::i64, .order = Order::descending}, Distribution::few_distinct, 2));
  EXPECT_TRUE(sorts(pairs, Distribution::random, 3));
  EXPECT_TRUE(sorts(pairs, Distribution::special, 4));
}

/// In whatever order threads run.
TEST(SegmentsVariant, HasAllBarriersThatItNeeds) {
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    const SegmentPlaces places = places_of(mixed_lengths(50, 900, order));
    EXPECT_TRUE(sorts_segments(seeded(order), {.key = KeyType::u32}, places, small_configuration(places.keys),
                               Distribution::random, order, true));
  }
}

TEST(SegmentsVariant, SortsOneSegmentManyAndNone) {
  const std::vector<std::vector<std::uint64_t>> all_lengths = {
      {1000}, {0}, std::vector<std::uint64_t>(100, 0), {0, 0, 1000, 0}, std::vector<std::uint64_t>(300, 1)};
  for (const auto& lengths : all_lengths) {
    for (const bool gaps : {false, true}) {
      const SegmentPlaces places = places_of(lengths, 4, gaps);
      if (places.keys == 0) continue;  // nothing is launched then
      const Problem problem = places.problem({.key = KeyType::u16});
      const Configuration c =
          variant("segments").default_configuration(problem, emulated_bench().device->info());
      EXPECT_TRUE(sorts_segments(emulated_bench(), problem, places, c, Distribution::random, 5, gaps));
    }
  }
}

/// Whatever the offsets are, nothing outside the keys is read or written: the sanitizers see the one, and
/// guards the other.
TEST(SegmentsVariant, KeepsWithinTheKeysWhateverTheOffsets) {
  constexpr std::uint64_t keys = 1000;
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const std::vector<std::vector<std::uint64_t>> all_offsets = {
      {0, 2000, 100, 5, most, 3, 1000, 999, 998, most - 3},
      {most, most, most},
      {1000, 0, 1000, 0, 1000, 0, 1000, 0, 1000},
      {500, 400, 300, 200, 100}};
  const SortSpec spec{.key = KeyType::u32};
  Configuration copying = small_configuration(keys);
  copying.parameters["segments_per_block"] = 8;
  for (const auto& offsets : all_offsets) {
    copying.parameters["copied_keys"] =
        static_cast<std::int64_t>(std::bit_ceil(8 * keys / (offsets.size() - 1)));
    EXPECT_TRUE(keeps_within_keys(emulated_bench(), spec, offsets, {}, 4, keys, copying));
    for (const std::size_t bytes : {4u, 8u}) {
      EXPECT_TRUE(
          keeps_within_keys(emulated_bench(), spec, offsets, {}, bytes, keys, small_configuration(keys)));
      const std::vector<std::uint64_t> ends(offsets.rbegin(), offsets.rend());
      EXPECT_TRUE(
          keeps_within_keys(emulated_bench(), spec, offsets, ends, bytes, keys, small_configuration(keys)));
    }
  }
  // Segments that overlap, by digits.
  EXPECT_TRUE(keeps_within_keys(emulated_bench(), problem_of(all_loads[3], KeyType::f32, Order::ascending, 1),
                                {0, 3000, 500, 2900, 100, 4000, 9}, {}, 4, 3500, configuration_by_digits()));
  // Twenty segments that are all keys, in a list with room for three of more than 256 keys.
  EXPECT_TRUE(keeps_within_keys(emulated_bench(), spec, std::vector<std::uint64_t>(20, 0),
                                std::vector<std::uint64_t>(20, keys), 4, keys, small_configuration(keys)));
}

/// The whole way. What is prepared for a batch sorts all batches of its class.
TEST(SegmentsEngine, OnePreparedSortServesAClass) {
  auto engine = untuned_engine(emulated_bench());
  std::vector<std::uint64_t> long_ones(60, 3);
  long_ones[7] = 1900;
  std::vector<std::uint64_t> long_ones_first(64, 31);  // as many keys as of 41 each: where they lie says so
  std::fill(long_ones_first.begin(), long_ones_first.begin() + 32, 51);
  std::vector<std::uint64_t> every_other(64, 0);
  for (std::size_t i = 0; i < every_other.size(); i += 2) every_other[i] = 90;
  const std::vector<SegmentPlaces> batches = {places_of(every_other),
                                              places_of(std::vector<std::uint64_t>(33, 60), 8),
                                              places_of(std::vector<std::uint64_t>(64, 41)),
                                              places_of(long_ones_first), places_of(long_ones, 4, true)};
  const SortSpec spec{.key = KeyType::i32};
  const auto prepared = engine.prepare({spec, {.n = 60 * 40, .rows = 60, .ragged = true}});
  for (const SegmentPlaces& places : batches) {
    const Problem problem = places.problem(spec);
    EXPECT_EQ(engine.prepare(problem), prepared);
    const auto run = [&](const Operands& operands) { engine.run(problem, operands, nullptr); };
    for (const bool in_place : {false, true}) {
      EXPECT_TRUE(sorts_segments(engine.device(), spec, places, Distribution::random, 3, in_place, run));
    }
  }
}

}  // namespace
}  // namespace segments
}  // namespace bitune::test
