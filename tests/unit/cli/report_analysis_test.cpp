// The reductions behind a report: standings, effects of parameters, distribution, convergence, failures.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "cli/report/distribution.hpp"
#include "cli/report/effects.hpp"
#include "cli/report/progress.hpp"
#include "cli/report/standing.hpp"

namespace bitune::cli {
namespace {

TrialOutcome outcome(std::int64_t id, const std::string& configuration, std::optional<double> us,
                     bool finalist = false) {
  TrialOutcome trial;
  trial.id = id;
  trial.configuration = Configuration::parse(configuration);
  trial.status = us ? TrialStatus::ok : TrialStatus::spilled;
  trial.median_us = us;
  trial.finalist = finalist;
  return trial;
}

// So many trials of random configurations of one variant with `parameters` parameters of five values.
Evidence random_evidence(std::int64_t count, int parameters) {
  std::mt19937 random(7);
  Evidence evidence;
  for (std::int64_t id = 1; id <= count; ++id) {
    TrialOutcome trial;
    trial.id = id;
    trial.configuration.variant = "warp";
    double us = 10;
    for (int i = 0; i < parameters; ++i) {
      const auto value = static_cast<std::int64_t>(random() % 5);
      trial.configuration.parameters["p" + std::to_string(i)] = value;
      us += static_cast<double>(value) * (i + 1) + static_cast<double>(random() % 100) / 50;
    }
    trial.median_us = us;
    evidence.trials.push_back(std::move(trial));
  }
  return evidence;
}

TEST(Standings, CountTheFinalistTrialAndRankFinalistsFirst) {
  Evidence evidence;
  evidence.trials = {outcome(1, "warp(a=1)", 10),       outcome(2, "warp(a=2)", 9),
                     outcome(3, "warp(a=3)", 8),        outcome(4, "warp(a=1)", 12, true),
                     outcome(5, "warp(a=2)", 11, true), outcome(6, "warp(a=4)", std::nullopt)};
  evidence.trials[2].superseded = true;
  const auto found = standings(evidence);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].trial, 5);
  EXPECT_EQ(found[0].us, 11);
  EXPECT_EQ(found[1].trial, 4);
}

TEST(Standings, KeepFiveDigits) {
  EXPECT_EQ(rounded(123456.7), 123460);
  EXPECT_EQ(rounded(0.00123456), 0.0012346);
  EXPECT_EQ(rounded(0), 0);
}

TEST(Effects, WinnersGiveTheBestOfEveryCellOfEveryTwoParameters) {
  const Evidence evidence = random_evidence(3000, 6);
  const auto all = standings(evidence);
  const Effects effects = effects_of(all);
  ASSERT_EQ(effects.varied.size(), 6U);
  EXPECT_LT(effects.winners.size(), 6U * 5U / 2U * 25U);
  EXPECT_LT(effects.winners.size(), all.size());
  for (std::size_t x = 0; x < 6; ++x) {
    for (std::size_t y = x; y < 6; ++y) {
      std::map<std::pair<std::int64_t, std::int64_t>, double> expected;
      for (const Standing& one : all) {
        const auto cell = std::pair{one.configuration->at("p" + std::to_string(x)),
                                    one.configuration->at("p" + std::to_string(y))};
        const auto [at, is_new] = expected.emplace(cell, one.us);
        at->second = std::min(at->second, one.us);
      }
      std::map<std::pair<std::int64_t, std::int64_t>, double> found;
      for (const Winner& winner : effects.winners) {
        found.emplace(
            std::pair{effects.varied[x].values[winner.values[x]], effects.varied[y].values[winner.values[y]]},
            winner.us);  // the fastest come first
      }
      EXPECT_EQ(found, expected) << x << " " << y;
    }
  }
}

TEST(Effects, TellWhatWasNotVaried) {
  Evidence evidence;
  evidence.trials = {outcome(1, "warp(a=1,b=7)", 10), outcome(2, "warp(a=2,b=7)", 9)};
  const Effects effects = effects_of(standings(evidence));
  ASSERT_EQ(effects.varied.size(), 1U);
  EXPECT_EQ(effects.varied[0].name, "a");
  EXPECT_EQ(effects.varied[0].values, (std::vector<std::int64_t>{1, 2}));
  ASSERT_EQ(effects.fixed.size(), 1U);
  EXPECT_EQ(effects.fixed[0].name, "b");
  ASSERT_EQ(effects.winners.size(), 2U);
  EXPECT_EQ(effects.winners[0].trial, 2);
  EXPECT_EQ(effects.winners[0].values, (std::vector<std::size_t>{1}));
}

TEST(Effects, AreBoundedWhateverTheSpace) {
  std::mt19937 random(1);
  Evidence evidence;
  for (std::int64_t id = 1; id <= 5000; ++id) {
    evidence.trials.push_back(outcome(id,
                                      "warp(a=" + std::to_string(id) + ",b=" + std::to_string(id % 97) + ")",
                                      1 + static_cast<double>(random() % 1000)));
  }
  const Effects effects = effects_of(standings(evidence));
  EXPECT_EQ(effects.winners.size(), most_winners);
  EXPECT_TRUE(std::is_sorted(effects.winners.begin(), effects.winners.end(),
                             [](const Winner& a, const Winner& b) { return a.us < b.us; }));
}

TEST(Effects, LeaveOutAConfigurationThatLacksAParameter) {
  Evidence evidence;
  evidence.trials = {outcome(1, "warp(a=1)", 1), outcome(2, "warp(a=1,b=1)", 2),
                     outcome(3, "warp(a=2,b=2)", 3)};
  const Effects effects = effects_of(standings(evidence));
  ASSERT_EQ(effects.winners.size(), 2U);
  EXPECT_EQ(effects.winners[0].trial, 2);
}

TEST(Distribution, CountsEveryConfigurationOnce) {
  const Evidence evidence = random_evidence(3000, 6);
  const auto all = standings(evidence);
  const Distribution distribution = distribution_of(all);
  EXPECT_EQ(distribution.bins, 48U);
  const auto& counts = distribution.counts.at("warp");
  EXPECT_EQ(counts.size(), distribution.bins);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  EXPECT_EQ(sum, all.size());
  EXPECT_GT(counts.front(), 0U);
  EXPECT_GT(counts.back(), 0U);
  EXPECT_EQ(distribution.low_us, all.front().us);
  EXPECT_EQ(count_within(all, distribution.high_us), all.size());
  EXPECT_NEAR(static_cast<double>(count_within(all, distribution.median_us)),
              static_cast<double>(all.size()) / 2, static_cast<double>(all.size()) / 50);
}

TEST(Distribution, OfOneConfigurationIsOneBin) {
  Evidence evidence;
  evidence.trials = {outcome(1, "warp(a=1)", 10)};
  const Distribution distribution = distribution_of(standings(evidence));
  EXPECT_EQ(distribution.bins, 1U);
  EXPECT_EQ(distribution.counts.at("warp"), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(distribution_of({}).bins, 0U);
}

TEST(Convergence, KeepsEveryImprovementAndASample) {
  Evidence evidence;
  for (int i = 1; i <= 1000; ++i) {
    evidence.trials.push_back(outcome(i, "warp(a=" + std::to_string(i) + ")",
                                      i % 10 == 0 ? std::nullopt : std::optional(1000.0 - i)));
  }
  evidence.trials.push_back(outcome(1001, "warp(a=999)", 0.5, true));
  const Convergence convergence = convergence_of(evidence, 50);
  EXPECT_EQ(convergence.evaluations, 1000U);
  EXPECT_EQ(convergence.improvements.size(), 900U);
  EXPECT_EQ(convergence.improvements.back().place, 999U);
  EXPECT_EQ(convergence.improvements.back().us, 1.0);
  EXPECT_EQ(convergence.sample.size(), 50U);
  EXPECT_EQ(convergence.sample.front().place, 1U);
}

TEST(Failures, AreCountedByKindAndVariantWithTheNewestMessage) {
  Evidence evidence;
  for (int i = 1; i <= 4; ++i) {
    evidence.trials.push_back(
        outcome(i, i == 4 ? "shared(a=1)" : "warp(a=" + std::to_string(i) + ")", std::nullopt));
    evidence.trials.back().message = "message " + std::to_string(i);
  }
  evidence.trials.push_back(outcome(5, "warp(a=9)", 3));
  const auto kinds = failures_of(evidence);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].variant, "shared");
  EXPECT_EQ(kinds[1].count, 3U);
  EXPECT_EQ(kinds[1].example, 3);
  EXPECT_EQ(kinds[1].message, "message 3");
}

}  // namespace
}  // namespace bitune::cli
