#include "tuner/noise.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

MeasuredTrial trial_of(std::int64_t id, std::int64_t configuration, double median, double mad, double half) {
  MeasuredTrial trial;
  trial.id = id;
  trial.session = 1;
  trial.configuration = configuration;
  trial.device_digest = "d";
  trial.device_name = "GPU";
  trial.problem.n = 1024;
  trial.variant = "warp";
  trial.statistics = {median, mad, median - half, median + half};
  trial.samples = 10;
  return trial;
}

TEST(Noise, IsTheMedianOfTheTrials) {
  std::vector<MeasuredTrial> trials = {trial_of(1, 1, 100, 1, 0.5), trial_of(2, 2, 200, 4, 4),
                                       trial_of(3, 3, 50, 1.5, 1)};
  trials[1].clock = {1700, 1980, sw_power_cap};
  trials[2].clock = {1900, 1995, 0};
  trials[2].remeasured = 2;
  trials[0].samples = 7;
  const auto groups = noise_of(trials);
  ASSERT_EQ(groups.size(), 1u);
  const NoiseGroup& group = groups[0];
  EXPECT_EQ(group.trials, 3u);
  EXPECT_EQ(group.samples, 10);
  EXPECT_DOUBLE_EQ(group.relative_mad, 0.02);
  EXPECT_DOUBLE_EQ(group.half_width, 0.02);
  EXPECT_EQ(group.precise, 1u);
  EXPECT_EQ(group.remeasured, 1u);
  EXPECT_EQ(group.clock, (ClockSummary{1700, 1995, sw_power_cap}));
  EXPECT_EQ(group.repeats, 0u);
  EXPECT_EQ(group.drift, std::nullopt);
}

TEST(Noise, DriftIsFromTheFirstTimeToTheLastWithinASession) {
  std::vector<MeasuredTrial> trials = {trial_of(9, 1, 103, 1, 1), trial_of(1, 1, 100, 1, 1),
                                       trial_of(5, 1, 999, 1, 1), trial_of(2, 2, 100, 1, 1),
                                       trial_of(8, 2, 101, 1, 1), trial_of(20, 3, 70, 1, 1)};
  MeasuredTrial elsewhere = trial_of(30, 3, 140, 1, 1);
  elsewhere.session = 2;
  trials.push_back(elsewhere);
  const auto groups = noise_of(trials);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].repeats, 2u) << "another session's is no repeat";
  ASSERT_TRUE(groups[0].drift);
  EXPECT_NEAR(*groups[0].drift, 0.02, 1e-12) << "between 3 % and 1 %";
}

TEST(Noise, GroupsAreDeviceProblemAndVariant) {
  std::vector<MeasuredTrial> trials(5, trial_of(1, 1, 100, 1, 1));
  trials[1].variant = "rows";
  trials[2].problem.n = 2048;
  trials[3].device_digest = "e";
  trials[4].statistics = {};
  EXPECT_EQ(noise_of(trials).size(), 4u);
  EXPECT_EQ(noise_of(trials)[0].trials, 1u) << "of a time of nothing, nothing is a part";
  EXPECT_TRUE(noise_of({}).empty());
}

}  // namespace
}  // namespace bitune
