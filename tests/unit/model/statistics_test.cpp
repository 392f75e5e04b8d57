#include "model/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace bitune {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1);
  return samples;
}

TEST(Statistics, MediansOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median_of({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median_of({}), 0);
}

TEST(Statistics, QuantilesAreNumPys) {
  // numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], [0, .1, .25, .5, .75, .9, 1])
  const std::vector<double> samples = {3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<std::pair<double, double>> known = {{0, 1},       {0.1, 1},   {0.25, 1.75}, {0.5, 3.5},
                                                        {0.75, 5.25}, {0.9, 6.9}, {1, 9}};
  for (const auto& [fraction, value] : known) {
    EXPECT_NEAR(quantile_of(samples, fraction), value, 1e-12) << fraction;
  }
  EXPECT_EQ(quantile_of({}, 0.5), 0);
  EXPECT_EQ(quantile_of({7}, 0.3), 7);
}

TEST(Statistics, AbsoluteDeviationIgnoresOutliers) {
  // Distances of 1 1 2 2 4 6 9 from their median 2 are 1 1 0 0 2 4 7: their median is 1.
  EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9e9}), 1);
  EXPECT_DOUBLE_EQ(median_absolute_deviation({5}), 0);
  EXPECT_DOUBLE_EQ(median_absolute_deviation({}), 0);
}

TEST(Statistics, IntervalIsThatOfTheBootstrapDistribution) {
  // The median of 7 drawn from 1..7 is at most k with probability sum_{j>=4} C(7,j) (k/7)^j (1-k/7)^(7-j):
  // 0.010 for k = 1, 0.108 for 2, 0.892 for 5, 0.990 for 6. So 2.5 % lies within 2, and 97.5 % within 6.
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const MedianInterval interval = median_interval({7, 3, 1, 5, 2, 6, 4}, {.seed = seed});
    EXPECT_DOUBLE_EQ(interval.median, 4);
    EXPECT_DOUBLE_EQ(interval.low, 2);
    EXPECT_DOUBLE_EQ(interval.high, 6);
    EXPECT_DOUBLE_EQ(interval.relative_half_width(), 0.5);
  }
  // The same sum for 101 puts 2.5 % at 41 and 97.5 % at 61; a thousand resamples may be off by one.
  const MedianInterval wide = median_interval(one_to(101));
  EXPECT_NEAR(wide.low, 41, 1.01);
  EXPECT_NEAR(wide.high, 61, 1.01);
}

TEST(Statistics, IntervalDependsOnSamplesAndSeedOnly) {
  std::vector<double> samples = one_to(200);
  const MedianInterval interval = median_interval(samples);
  std::reverse(samples.begin(), samples.end());
  const MedianInterval again = median_interval(samples);
  EXPECT_EQ(interval.low, again.low);
  EXPECT_EQ(interval.high, again.high);
  const MedianInterval less_sure = median_interval(samples, {.confidence = 0.5});
  EXPECT_GT(less_sure.low, interval.low);
  EXPECT_LT(less_sure.high, interval.high);
}

TEST(Statistics, IntervalsOfFewSamplesSpanThem) {
  EXPECT_EQ(median_interval({}).high, 0);
  EXPECT_EQ(median_interval({3}).low, 3);
  EXPECT_EQ(median_interval({3}).high, 3);
  EXPECT_EQ(median_interval({1, 9}).low, 1);
  EXPECT_EQ(median_interval({1, 9}).high, 9);
  EXPECT_TRUE(std::isinf(median_interval({0, 0}).relative_half_width()));
}

TEST(Statistics, CoverageIsThatOfTheOrderStatistics) {
  // The range misses the median if all samples fall on one side of it: 2 / 2^n.
  EXPECT_DOUBLE_EQ(coverage_of({2, 1, 3}, 1, 3), 0.75);
  EXPECT_DOUBLE_EQ(coverage_of(one_to(6), 1, 6), 0.96875);
  EXPECT_DOUBLE_EQ(coverage_of({1, 9}, 1, 9), 0.5);
  EXPECT_EQ(coverage_of({5}, 5, 5), 0);
  EXPECT_EQ(coverage_of({}, 0, 0), 0);
  // From the second to the sixth of seven: 2 to 5 heads of 7 tosses.
  EXPECT_NEAR(coverage_of(one_to(7), 2, 6), 112.0 / 128, 1e-12);
  EXPECT_NEAR(coverage_of(one_to(7), 1.5, 6.5), 112.0 / 128, 1e-12) << "ends between samples count for less";
}

TEST(Statistics, TheBootstrapComesNearItsConfidenceWithManySamples) {
  const auto covered = [](int count) {
    const MedianInterval interval = median_interval(one_to(count));
    return coverage_of(one_to(count), interval.low, interval.high);
  };
  EXPECT_DOUBLE_EQ(covered(3), 0.75);
  EXPECT_DOUBLE_EQ(covered(5), 0.9375);
  EXPECT_NEAR(covered(200), 0.95, 0.02);
  EXPECT_NEAR(covered(5001), 0.95, 0.01);
}

TEST(Statistics, MoreSamplesNarrowTheInterval) {
  double before = 1;
  for (const int count : {8, 32, 128, 512}) {
    std::vector<double> samples = one_to(count);
    for (double& sample : samples) sample = 100 + 10 * sample / count;  // as wide, whatever the count
    const double width = median_interval(samples).relative_half_width();
    EXPECT_LT(width, before) << count;
    before = width;
  }
  EXPECT_LT(before, 0.01);
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
  EXPECT_TRUE(is_tie(std::vector{10.0, 10.0, 10.0}, std::vector{10.04, 10.04, 10.04}));
  EXPECT_FALSE(is_tie(std::vector{10.0, 10.0, 10.0}, std::vector{10.2, 10.2, 10.2}));
}

TEST(Statistics, OutliersDoNotWidenTheInterval) {
  const MedianInterval interval = median_interval({10, 10, 10, 10, 10, 10, 10, 10, 500});
  EXPECT_LT(interval.high, 10.1);
}

TEST(Statistics, SummaryIsTheSameNumbers) {
  EXPECT_EQ(statistics_of({}), std::nullopt);
  const auto statistics = statistics_of({7, 3, 1, 5, 2, 6, 4});
  ASSERT_TRUE(statistics);
  EXPECT_EQ(*statistics, (SampleStatistics{.median = 4, .mad = 2, .low = 2, .high = 6}));
}

}  // namespace
}  // namespace bitune
