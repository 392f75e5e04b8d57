// Where cuts are by samples, and what ranks get of the keys at them. No device.

#include "multi/split/sampled_cuts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "runtime/variants/radix_in_pieces.hpp"

namespace bitune::test {
namespace sampled_cuts {
namespace {

using multi::ClassCounts;
using Numbers = std::vector<std::uint64_t>;

TEST(SampledCuts, TakesAsManySamplesOfAllRanksHoweverManyKeysThereAre) {
  for (const std::uint64_t n : {0ULL, 3ULL, 1000ULL, 1ULL << 20, 1ULL << 31, (1ULL << 40) + 7}) {
    const multi::Sampling sampling = multi::sampling_of({n, 0, n / 2});
    EXPECT_LE(sampling.total(), 1U << 16);
    EXPECT_EQ(sampling.counts[0], n / sampling.spacing);
    EXPECT_EQ(sampling.counts[1], 0U);
    EXPECT_EQ(sampling.before(2), sampling.counts[0]);
    EXPECT_GE(sampling.spacing, 4U);
  }
}

TEST(SampledCuts, AreOnBothSidesOfEachCutAndApart) {
  const Numbers lengths(8, 1 << 20);
  const multi::Sampling sampling = multi::sampling_of(lengths);
  const auto cuts = multi::sampled_cuts(sampling, lengths);
  ASSERT_TRUE(cuts.has_value());
  ASSERT_EQ(cuts->size(), 14U);
  for (std::size_t cut = 0; cut < 7; ++cut) {
    const std::uint64_t there = sampling.total() * (cut + 1) / 8;
    EXPECT_LT((*cuts)[2 * cut], there);
    EXPECT_GT((*cuts)[2 * cut + 1], there);
    // Four standard deviations of 65,536 samples, and some.
    EXPECT_LT((*cuts)[2 * cut + 1] - (*cuts)[2 * cut], 2 * (512 + 12));
    if (cut != 0) EXPECT_GT((*cuts)[2 * cut], (*cuts)[2 * cut - 1]);
  }
}

TEST(SampledCuts, AreNoneWherePartsAreTooSmallToTellApart) {
  const multi::Sampling few = multi::sampling_of({40, 40, 40});
  EXPECT_FALSE(multi::sampled_cuts(few, {40, 40, 40}).has_value());
  const multi::Sampling many = multi::sampling_of({1 << 20, 1 << 20, 1 << 20});
  EXPECT_FALSE(multi::sampled_cuts(many, {1 << 20, 0, 2 << 20}).has_value());
}

TEST(SampledCuts, OfTwoRanksMayBeAtAnEnd) {
  const multi::Sampling sampling = multi::sampling_of({1000, 1000});
  const auto none = multi::sampled_cuts(sampling, {0, 2000});
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ((*none)[0], 0U);
  const auto all = multi::sampled_cuts(sampling, {2000, 0});
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ((*all)[1], sampling.total() + 1);
}

TEST(SampledCuts, EachRankSortsWhatIsAtItsCutsAndSkipsWhatIsNotItsOwn) {
  // Of two ranks' keys: sure of part 0, at the cut, sure of part 1, at the cut, sure of part 2.
  const std::vector<ClassCounts> counts = {{10, 4, 7, 0, 1}, {0, 3, 9, 5, 11}};
  const auto parts = multi::sorted_parts(counts, {12, 24, 14});
  ASSERT_TRUE(parts.has_value());
  const Numbers keys = {10 + 7, 7 + 16 + 5, 5 + 12};
  const Numbers skipped = {0, 2, 3};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ((*parts)[rank].keys, keys[rank]);
    EXPECT_EQ((*parts)[rank].skipped, skipped[rank]);
  }
  EXPECT_FALSE(multi::sorted_parts(counts, {9, 27, 14}).has_value()) << "cut among sure keys";
  EXPECT_FALSE(multi::sorted_parts(counts, {18, 18, 14}).has_value());
  EXPECT_TRUE(multi::sorted_parts(counts, {17, 16, 17}).has_value()) << "at both ends of what is at a cut";
}

TEST(SampledCuts, FirstPlacesFollowPieceByPieceDigitByDigit) {
  const std::vector<Numbers> counts = {{2, 0, 1}, {1, 3, 0}, {0, 1, 4}};
  const auto places = first_places(counts);
  // Digit 0 begins at 0, digit 1 at 3, digit 2 at 7; each piece goes on where the one before it ends.
  const std::vector<Numbers> begins = {{0, 3, 7}, {2, 3, 8}, {3, 6, 8}};
  ASSERT_EQ(places.size(), begins.size());
  for (std::size_t piece = 0; piece < begins.size(); ++piece) {
    std::uint64_t place = places[piece].first;
    for (std::size_t digit = 0; digit < 3; ++digit) {
      EXPECT_EQ(place, begins[piece][digit]) << piece << ", " << digit;
      place += places[piece].steps[digit];
    }
  }
}

}  // namespace
}  // namespace sampled_cuts
}  // namespace bitune::test
