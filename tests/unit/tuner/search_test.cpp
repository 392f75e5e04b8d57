// What a search makes of proposals: briefly and longer, equal plans, early stops, warm starts.

#include "tuner/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "tests/unit/tuner/fake_session.hpp"

namespace bitune {
namespace {

using namespace std::chrono_literals;

class Search : public testing::Test, protected testing_support::SessionFixture {
 protected:
  void five_problems_in_a_second() {
    request.problems = {
        {{}, {.n = 1024}}, {{}, {.n = 2048}}, {{}, {.n = 4096}}, {{}, {.n = 8192}}, {{}, {.n = 16384}}};
    request.compile_threads = 1;
    request.finalists = 0;
    request.budget_seconds = 1;
  }
};

TEST_F(Search, EqualPlansAreMeasuredOnce) {
  source.plan = [](std::int64_t x) { return std::to_string(x / 4); };
  evaluator.time_us = [](std::int64_t x, std::size_t) { return 100.0 - static_cast<double>(x / 4); };
  for (const StrategyEntry& entry : strategies()) {
    request.strategy = entry.name;
    request.resume = false;
    evaluator.requests.clear();
    const auto outcomes = run();
    std::map<std::int64_t, int> asked;
    for (const EvaluationRequest& evaluation : evaluator.requests) {
      if (evaluation.verify) ++asked[evaluation.configuration.at("x") / 4];
    }
    EXPECT_EQ(asked.size(), 5u) << entry.name;
    for (const auto& [plan, times] : asked) EXPECT_EQ(times, 1) << entry.name << ", plan " << plan;
    EXPECT_EQ(outcomes[0].best->configuration.at("x") / 4, 4) << entry.name;
    EXPECT_EQ(outcomes[0].same_plan, 15u) << entry.name;
  }
}

TEST_F(Search, PlansKnownFromBeforeAreNotMeasuredAgain) {
  source.plan = [](std::int64_t x) { return std::to_string(x % 10); };
  request.budget_evaluations = 10;
  EXPECT_EQ(run()[0].evaluated, 10u);
  evaluator.requests.clear();
  request.budget_evaluations.reset();
  EXPECT_EQ(run()[0].evaluated, 0u);
  EXPECT_TRUE(evaluator.requests.empty());
}

TEST_F(Search, HalvingTakesFewSamplesFirstAndVerifiesOnce) {
  request.strategy = "halving";
  request.finalists = 0;
  request.protocol.max_samples = 45;
  const auto outcomes = run();
  std::map<int, int> by_samples;
  int verified = 0;
  for (const EvaluationRequest& evaluation : evaluator.requests) {
    ++by_samples[evaluation.protocol.max_samples];
    EXPECT_LE(evaluation.protocol.min_samples, evaluation.protocol.max_samples);
    verified += evaluation.verify ? 1 : 0;
  }
  EXPECT_EQ(by_samples, (std::map<int, int>{{5, 20}, {15, 6}, {45, 2}}));
  EXPECT_EQ(verified, 20);
  EXPECT_EQ(outcomes[0].evaluated, 28u);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 0);
  const auto trials = stored(false);
  EXPECT_EQ(std::count_if(trials.begin(), trials.end(),
                          [](const Trial& trial) { return trial.message.starts_with("measured briefly"); }),
            26);
}

TEST_F(Search, AConfigurationMeasuredTwiceIsOneContender) {
  request.strategy = "halving";
  request.finalists = 20;
  const auto outcomes = run();
  std::map<std::string, int> finalists;
  for (const Trial& trial : stored(true)) ++finalists[trial.configuration.text()];
  EXPECT_EQ(finalists.size(), 20u);
  for (const auto& [text, count] : finalists) EXPECT_EQ(count, 1) << text;
}

TEST_F(Search, LuckOfAFewSamplesDoesNotLast) {
  // x = 7 seems the fastest when it is measured briefly, and is not.
  evaluator.time_us = [this](std::int64_t x, std::size_t) {
    const bool briefly = evaluator.requests.back().protocol.max_samples < request.protocol.max_samples;
    return x == 7 ? (briefly ? 90.0 : 120.0) : 100.0 + static_cast<double>(x);
  };
  request.strategy = "halving";
  request.finalists = 1;
  const auto outcomes = run();
  EXPECT_NE(outcomes[0].best->configuration.at("x"), 7);
}

TEST_F(Search, WhatIsStoppedEarlyIsNoFinalist) {
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 3 ? 100.0 : 126.0; };
  request.compile_threads = 1;
  request.finalists = 20;
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 3);
  EXPECT_TRUE(outcomes[0].ties.empty());
  const std::vector<Trial> finalists = stored(true);
  ASSERT_EQ(finalists.size(), 1u) << "the winner is one, with nobody to measure in turn with";
  EXPECT_EQ(finalists[0].configuration.at("x"), 3);
}

TEST_F(Search, TheNextSizeBeginsWithWhatWonAtTheLast) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  request.compile_threads = 1;
  request.finalists = 0;
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 13 ? 50.0 : 100.0; };
  std::map<std::uint64_t, std::int64_t> first;
  evaluator.on_call = [&first](const EvaluationRequest& evaluation) {
    first.emplace(evaluation.problem.n, evaluation.configuration.at("x"));
  };
  (void)run();
  EXPECT_EQ(first, (std::map<std::uint64_t, std::int64_t>{{1024, 0}, {2048, 13}}));

  request.warm_start = false;
  request.resume = false;
  first.clear();
  (void)run();
  EXPECT_EQ(first.at(2048), 0);
}

TEST_F(Search, WhatAnUntunedSortWouldTakeIsTriedHoweverLateItIs) {
  five_problems_in_a_second();
  source.defaults = {7, 0};
  source.selects_on = device;
  std::vector<std::int64_t> asked;
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 13 ? 50.0 : 100.0; };
  evaluator.on_call = [this, &asked](const EvaluationRequest& evaluation) {
    if (evaluation.problem.n != 2048) return;
    asked.push_back(evaluation.configuration.at("x"));
    now += 300ms;  // more than its share of the time
  };
  (void)run();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{7, 13})) << "the default, and what won at the last length";

  // What has been tuned here needs no default to compare with.
  request.resume = false;
  request.budget_seconds = 1;
  asked.clear();
  (void)run();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{13}));
}

TEST_F(Search, OnesOwnStartsAreTriedHoweverLateItIs) {
  five_problems_in_a_second();
  request.warm_start = false;
  const std::vector<Configuration> domain = source.domain(request.problems[0]).configurations;
  request.starts = {domain.at(13), domain.at(4), {"other", {{"x", 1}}}};
  std::vector<std::int64_t> asked;
  evaluator.on_call = [this, &asked](const EvaluationRequest& evaluation) {
    if (evaluation.problem.n != 2048) return;
    asked.push_back(evaluation.configuration.at("x"));
    now += 300ms;  // more than its share of the time
  };
  (void)run();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{13, 4}));
}

TEST_F(Search, StartsAreTriedHoweverLateItIsUntilOneIsSound) {
  five_problems_in_a_second();
  request.warm_start = false;
  source.defaults = {7, 3, 5, 0, 1};
  std::vector<std::int64_t> asked;
  evaluator.status = [](std::int64_t x) {
    return x == 7 || x == 3 || x == 5 ? TrialStatus::over_limit : TrialStatus::ok;
  };
  evaluator.on_call = [this, &asked](const EvaluationRequest& evaluation) {
    if (evaluation.problem.n != 2048) return;
    asked.push_back(evaluation.configuration.at("x"));
    now += asked.size() == 1 ? 300ms : 1ms;
  };
  (void)run();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{7, 3, 5, 0}));
}

}  // namespace
}  // namespace bitune
