#include "tuner/finals.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/tuner/fake_session.hpp"

namespace bitune {
namespace {

Trial trial_of(std::int64_t x, std::vector<double> samples, TrialStatus status = TrialStatus::ok) {
  Trial trial;
  trial.configuration = {"fake", {{"x", x}}};
  trial.samples_us = std::move(samples);
  trial.status = status;
  return trial;
}

TEST(Contenders, AreTheFastestWithinReach) {
  const std::vector<Trial> trials = {trial_of(0, {130}), trial_of(1, {100}), trial_of(2, {110}),
                                     trial_of(3, {90}, TrialStatus::wrong_result), trial_of(4, {105})};
  const auto two = contenders_of(trials, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].configuration.at("x"), 1);
  EXPECT_EQ(two[1].configuration.at("x"), 4);
  EXPECT_EQ(contenders_of(trials, 9).size(), 3u) << "130 is no contender of 100";
  EXPECT_EQ(contenders_of(trials, 0).size(), 1u);
  EXPECT_TRUE(contenders_of({}, 4).empty());
}

TEST(Judge, TiesAreOnlyThoseWithinNoiseOfTheWinner) {
  const auto result =
      judge({trial_of(0, {100, 102, 98, 101, 99}), trial_of(1, {99, 101, 97, 100, 98}),
             trial_of(2, {120, 121, 119, 120, 120}), trial_of(3, {}, TrialStatus::timed_out)});
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->configuration.at("x"), 1);
  ASSERT_EQ(result.ties.size(), 1u);
  EXPECT_EQ(result.ties[0].configuration.at("x"), 0);
}

TEST(Judge, FinalistsRankBeforeOthers) {
  std::vector<Trial> trials = {trial_of(0, {100}), trial_of(1, {99.5}), trial_of(2, {99.2}),
                               trial_of(3, {105})};
  for (Trial& trial : trials) trial.finalist = true;
  const std::vector<Trial> incumbents = {trials[0], trials[3]};
  keep_incumbents(trials, incumbents);
  EXPECT_EQ(judge(trials).best->configuration.at("x"), 0);
  EXPECT_FALSE(trials[1].finalist);
  EXPECT_TRUE(trials[3].finalist);

  // One that is worth a change takes the place, and the others are finalists, too.
  trials = {trial_of(0, {100}), trial_of(1, {99.5}), trial_of(2, {98.5})};
  for (Trial& trial : trials) trial.finalist = true;
  keep_incumbents(trials, incumbents);
  EXPECT_EQ(judge(trials).best->configuration.at("x"), 2);
  EXPECT_TRUE(trials[1].finalist);

  keep_incumbents(trials, {});
  EXPECT_EQ(judge(trials).best->configuration.at("x"), 2);
}

TEST(Judge, WhatIsMuchSlowerForNormalKeysIsNoFinalist) {
  std::vector<Trial> trials = {trial_of(0, {66}), trial_of(1, {67}), trial_of(2, {72}), trial_of(3, {65})};
  for (Trial& trial : trials) trial.finalist = true;
  std::vector<Trial> all = trials;
  prefer_steady(all, {82, 70, 70, 76});
  EXPECT_FALSE(all[0].finalist) << "16 % slower than the next one, which is 1.5 % behind";
  EXPECT_TRUE(all[1].finalist);
  EXPECT_TRUE(all[2].finalist);
  EXPECT_TRUE(all[3].finalist) << "8 % are no reason";
  EXPECT_EQ(judge(all).best->configuration.at("x"), 3);

  all = {trials[0], trial_of(4, {80})};
  all[1].finalist = true;
  prefer_steady(all, {82, 70});
  EXPECT_TRUE(all[0].finalist) << "the other one loses more for random keys";

  all = trials;
  prefer_steady(all, {82, 0, 0, 0});
  EXPECT_TRUE(all[0].finalist) << "nothing is known of the others";
  prefer_steady(all, {});
  EXPECT_TRUE(all[0].finalist);
}

TEST(Rounds, WeighTheSameHoweverManySamplesEachTook) {
  EXPECT_EQ(weighed_equally({{1, 2}, {3, 4}}), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(weighed_equally({{1, 2}, {9, 9, 8, 8, 7, 7}, {3, 4, 5}}),
            (std::vector<double>{1, 2, 9, 8, 3, 4}));
  EXPECT_TRUE(weighed_equally({{1, 2}, {}}).empty());
  EXPECT_TRUE(weighed_equally({}).empty());
}

class Finals : public testing::Test, protected testing_support::SessionFixture {};

TEST_F(Finals, AreMeasuredInTurnAndMerged) {
  request.finalists = 3;
  const auto outcomes = run();
  EXPECT_EQ(evaluator.asked(false), (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  const auto finalists = stored(true);
  ASSERT_EQ(finalists.size(), 3u);
  for (const Trial& trial : finalists) EXPECT_EQ(trial.samples_us.size(), 15u);
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_TRUE(outcomes[0].best->finalist);
}

/// The first one is the fastest for random keys, and takes half as long again for normal ones.
class FinalsOfFloats : public testing::Test, protected testing_support::SessionFixture {
 protected:
  FinalsOfFloats() {
    request.finalists = 2;
    request.problems.front().key = KeyType::f32;
    evaluator.on_call = [this](const EvaluationRequest& asked) {
      is_normal_ = asked.protocol.distribution == "normal";
      normal_ += is_normal_ ? 1 : 0;
    };
    evaluator.time_us = [this](std::int64_t x, std::size_t) {
      return is_normal_ && x == 0 ? 150.0 : 100.0 + static_cast<double>(x);
    };
  }

  int normal_ = 0;  ///< measurements of normal keys

 private:
  bool is_normal_ = false;
};

TEST_F(FinalsOfFloats, LookAtNormalKeysToo) {
  const auto outcomes = run();
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 1);
  EXPECT_EQ(normal_, 2) << "each once";
  const auto finalists = stored(true);
  ASSERT_EQ(finalists.size(), 1u);
  EXPECT_EQ(finalists[0].samples_us.front(), 101) << "what is stored was measured with random keys";
}

TEST_F(FinalsOfFloats, LookAtWhatWasAskedForAlone) {
  request.protocol.distribution = "sorted";
  EXPECT_EQ(run()[0].best->configuration.at("x"), 0);
  EXPECT_EQ(normal_, 0);
}

TEST_F(FinalsOfFloats, OfIntegersAreOfRandomKeys) {
  request.problems.front().key = KeyType::u32;
  EXPECT_EQ(run()[0].best->configuration.at("x"), 0);
  EXPECT_EQ(normal_, 0);
}

TEST_F(Finals, ARoundThatWasDisturbedDoesNotDecide) {
  // In the second round x = 0 takes twice as long, and ten times as many samples.
  int rounds = 0;
  evaluator.on_call = [&rounds](const EvaluationRequest& asked) {
    if (!asked.verify && asked.configuration.at("x") == 0) ++rounds;
  };
  evaluator.time_us = [this, &rounds](std::int64_t x, std::size_t) {
    const bool disturbed = x == 0 && rounds == 2;
    evaluator.samples = disturbed ? 50 : 5;
    if (disturbed) return 200.0;
    return 100.0 + 10 * static_cast<double>(x);
  };
  const auto outcomes = run();
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 0);
  EXPECT_NEAR(*outcomes[0].best->median_us(), 100, 1);
}

TEST_F(Finals, CorrectALuckyWinner) {
  // x = 7 looks best once, in the search; measured again it is slower than x = 0.
  evaluator.time_us = [this](std::int64_t x, std::size_t) {
    const bool search = evaluator.requests.back().verify;
    return x == 7 ? (search ? 99.0 : 104.0) : 100.0 + static_cast<double>(x);
  };
  const auto outcomes = run();
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 0);
}

TEST_F(Finals, ReportATie) {
  evaluator.time_us = [](std::int64_t x, std::size_t call) {
    return x < 2 ? 100.0 + static_cast<double>(call % 3) : 115.0 + static_cast<double>(x);
  };
  const auto outcomes = run();
  ASSERT_EQ(outcomes[0].ties.size(), 1u);
  EXPECT_LT(outcomes[0].ties[0].configuration.at("x"), 2);
}

TEST_F(Finals, AFinalistThatFailsCannotWin) {
  evaluator.status = [this](std::int64_t x) {
    return x == 0 && !evaluator.requests.back().verify ? TrialStatus::timed_out : TrialStatus::ok;
  };
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 1);
  const auto asked = evaluator.asked(false);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), 0), 1) << "it was not tried again";
  const auto rows = stored(TrialStatus::timed_out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].samples_us.empty());
}

TEST_F(Finals, StoppedInTheFirstRoundStoreNothing) {
  evaluator.on_call = [this](const EvaluationRequest& asked) { stop = stop || !asked.verify; };
  const auto outcomes = run();
  EXPECT_TRUE(stored(true).empty());
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_FALSE(outcomes[0].best->finalist);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 0);
}

TEST_F(Finals, OneRoundAlthoughTimeIsUp) {
  request.budget_seconds = 0.2;
  evaluator.on_call = [this](const EvaluationRequest&) { now += std::chrono::milliseconds(30); };
  (void)run();
  EXPECT_EQ(evaluator.asked(true).size(), 6u) << "until 85 % of the time are over";
  EXPECT_EQ(evaluator.asked(false).size(), 4u) << "each finalist once";
  EXPECT_EQ(stored(true).size(), 4u);
}

TEST_F(Finals, AreHeldAgainOverSomethingNew) {
  request.budget_evaluations = 10;
  (void)run();
  evaluator.requests.clear();
  request.budget_evaluations.reset();
  (void)run();
  EXPECT_FALSE(evaluator.asked(false).empty());
  EXPECT_EQ(stored(true).size(), 8u);
}

}  // namespace
}  // namespace bitune
