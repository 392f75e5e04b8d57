#include "tuner/statistics.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

TEST(Statistics, MediansOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median_of({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median_of({}), 0);
}

TEST(Statistics, IntervalIsTheNotch) {
  // Quartiles of 1..9 are 3 and 7: 5 +- 1.57 * 4 / 3.
  const MedianInterval interval = median_interval({9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(interval.median, 5);
  EXPECT_NEAR(interval.low, 5 - 1.57 * 4 / 3, 1e-12);
  EXPECT_NEAR(interval.high, 5 + 1.57 * 4 / 3, 1e-12);
}

TEST(Statistics, TiesAreWithinNoiseOnly) {
  const std::vector<double> base = {100, 101, 99, 100, 100.5, 99.5, 100};
  std::vector<double> near = base;
  std::vector<double> far = base;
  for (double& sample : near) sample += 0.5;
  for (double& sample : far) sample += 5;
  EXPECT_TRUE(is_tie(base, near));
  EXPECT_FALSE(is_tie(base, far));
  EXPECT_FALSE(is_tie(far, base));
}

TEST(Statistics, QuantisedClocksStillTie) {
  EXPECT_TRUE(is_tie({10, 10, 10}, {10.04, 10.04, 10.04}));
  EXPECT_FALSE(is_tie({10, 10, 10}, {10.2, 10.2, 10.2}));
}

TEST(Statistics, OutliersDoNotWidenTheInterval) {
  const MedianInterval interval = median_interval({10, 10, 10, 10, 10, 10, 10, 10, 500});
  EXPECT_LT(interval.high, 10.1);
}

}  // namespace
}  // namespace bitune
