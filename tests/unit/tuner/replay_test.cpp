#include "tuner/replay.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/error.hpp"
#include "tests/unit/tuner/fake_session.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

/// 100 us for x = 0, 101 us for x = 1 and so on; x = 5 failed; samples vary.
RecordedSpace small_space(std::int64_t count) {
  RecordedSpace space;
  space.best_us = 100;
  for (std::int64_t x = 0; x < count; ++x) {
    Trial trial;
    trial.configuration = {"fake", {{"x", x}}};
    trial.compile_ms = 100;
    trial.verify_ms = 20;
    trial.measure_ms = 9;
    if (x == 5) {
      trial.status = TrialStatus::compile_failed;
    } else {
      const double time = 100.0 + static_cast<double>(x);
      trial.samples_us = {time + 50, time, time, time, time, time - 1, time, time, time};
    }
    space.domain.configurations.push_back(trial.configuration);
    space.trials.push_back(trial);
  }
  return space;
}

TEST(Replay, CountsEvaluationsFailuresAndVirtualTime) {
  const RecordedSpace space = small_space(10);
  const ReplayResult all = replay(space, strategy("exhaustive"), {});
  EXPECT_EQ(all.evaluations, 10u);
  EXPECT_EQ(all.failed, 1u);
  EXPECT_NEAR(all.seconds, 1.29, 1e-9);
  ASSERT_EQ(all.steps.size(), 1u);
  EXPECT_EQ(all.steps[0].index, 0u);
  EXPECT_EQ(all.steps[0].best_us, 100);

  EXPECT_EQ(replay(space, strategy("exhaustive"), {.evaluations = 4}).evaluations, 4u);
  EXPECT_EQ(replay(space, strategy("exhaustive"), {.seconds = 0.5}).evaluations, 4u) << "of 129 ms each";
  EXPECT_EQ(replay(space, strategy("exhaustive"), {.until_within = 0.0}).evaluations, 1u);
}

TEST(Replay, ABriefMeasurementCostsItsShareAndIsNoResult) {
  const RecordedSpace space = small_space(4);
  const ReplayResult result = replay(space, strategy("halving"), {.evaluations = 4});
  EXPECT_NEAR(result.seconds, 4 * 0.121, 1e-9) << "a ninth of the time for samples";
  EXPECT_TRUE(result.steps.empty());
  const ReplayResult whole = replay(space, strategy("halving"), {});
  EXPECT_EQ(whole.evaluations, 6u);
  ASSERT_EQ(whole.steps.size(), 1u);
  EXPECT_EQ(whole.steps[0].evaluations, 6u);
  EXPECT_NEAR(whole.seconds, 4 * 0.121 + 0.003 + 0.009, 1e-9) << "compiled and verified once";
}

TEST(Replay, FindsWhereItCameWithinAShareOfTheBest) {
  ReplayResult result;
  result.steps = {{.evaluations = 3, .best_us = 120}, {.evaluations = 8, .best_us = 100.5}};
  EXPECT_EQ(result.first_within(0.2, 100)->evaluations, 3u);
  EXPECT_EQ(result.first_within(0.01, 100)->evaluations, 8u);
  EXPECT_FALSE(result.first_within(0.001, 100));
}

/// Spaces recorded on an H200, of arrays of these lengths.
std::vector<RecordedSpace> h200(const std::vector<std::uint64_t>& lengths) {
  std::vector<fs::path> files;
  for (const char* variant : {"global", "shared", "warp"}) {
    for (const std::uint64_t n : lengths) {
      files.push_back(fs::path(BITUNE_TEST_DATA) / "recorded" / "nvidia-h200" /
                      (std::string(variant) + "_u32_" + std::to_string(n) + ".json.gz"));
    }
  }
  return read_recorded_spaces(files);
}

TEST(RecordedSpaces, FilesOfSeveralVariantsAreOneSpaceAProblem) {
  const auto spaces = h200({1 << 22});
  ASSERT_EQ(spaces.size(), 1u);
  const RecordedSpace& space = spaces[0];
  EXPECT_EQ(space.device, "NVIDIA H200");
  EXPECT_EQ(space.problem.n, 1u << 22);
  EXPECT_EQ(space.trials.size(), 487u);
  EXPECT_EQ(space.domain.configurations.size(), space.trials.size());
  EXPECT_NEAR(space.best_us, 220.176, 1e-3);
  std::set<std::string> variants;
  for (const Configuration& configuration : space.domain.configurations)
    variants.insert(configuration.variant);
  EXPECT_EQ(variants, (std::set<std::string>{"global", "shared", "warp"}));
  for (const std::size_t start : space.domain.starts) EXPECT_LT(start, space.trials.size());
}

TEST(RecordedSpaces, EachStrategyIsReproducibleAndWithinItsBudget) {
  const auto spaces = h200({1 << 22});
  const RecordedSpace& space = spaces.at(0);
  for (const StrategyEntry& entry : strategies()) {
    const ReplayResult first = replay(space, entry, {.seed = 7, .evaluations = 40, .at_once = 4});
    const ReplayResult second = replay(space, entry, {.seed = 7, .evaluations = 40, .at_once = 4});
    EXPECT_EQ(first.evaluations, 40u) << entry.name;
    EXPECT_EQ(first.seconds, second.seconds) << entry.name;
    ASSERT_EQ(first.steps.size(), second.steps.size()) << entry.name;
    for (std::size_t i = 0; i < first.steps.size(); ++i) {
      EXPECT_EQ(first.steps[i].index, second.steps[i].index) << entry.name;
    }
    const ReplayResult timed = replay(space, entry, {.seed = 7, .seconds = 0.5});
    EXPECT_GE(timed.seconds, 0.5) << entry.name;
    EXPECT_LT(timed.seconds, 2) << entry.name;
  }
}

/// Evaluations to within 1 % of the best, on average over the spaces and some seeds.
double mean_evaluations(const std::vector<RecordedSpace>& spaces, std::string_view name,
                        std::uint64_t seeds) {
  double sum = 0;
  for (const RecordedSpace& space : spaces) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const ReplayResult result = replay(space, strategy(name), {.seed = seed, .until_within = 0.01});
      EXPECT_TRUE(result.first_within(0.01, space.best_us)) << name;
      sum += static_cast<double>(result.evaluations);
    }
  }
  return sum / static_cast<double>(seeds * spaces.size());
}

TEST(RecordedSpaces, TheDefaultNeedsAThirdOfRandomsEvaluationsAtMost) {
  const auto spaces = h200({1 << 18, 1 << 22});
  EXPECT_LE(mean_evaluations(spaces, default_strategy, 2), mean_evaluations(spaces, "random", 20) / 3);
}

TEST(RecordedSpaces, ADatabaseIsOneToo) {
  testing_support::SessionFixture fixture;
  fixture.request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  (void)fixture.run();
  const auto spaces = read_recorded_spaces({fixture.path});
  ASSERT_EQ(spaces.size(), 2u);
  EXPECT_EQ(spaces[0].problem.n, 1024u);
  EXPECT_EQ(spaces[1].trials.size(), 20u);
  EXPECT_EQ(spaces[1].best_us, 100);
  EXPECT_EQ(spaces[1].device, "Fake GPU");
  EXPECT_FALSE(spaces[1].trials[0].finalist) << "trials of the search count before finalists";
}

TEST(RecordedSpaces, WhatIsNoRecordIsRefused) {
  EXPECT_THROW((void)read_recorded_spaces({"no/such/file"}), Error);
  EXPECT_TRUE(read_recorded_spaces({}).empty());
}

}  // namespace
}  // namespace bitune
