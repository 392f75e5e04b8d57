#include "tuner/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <latch>
#include <memory>
#include <set>

#include "bitune/error.hpp"
#include "tests/unit/tuner/fake_session.hpp"
#include "tuner/session_report.hpp"

namespace bitune {
namespace {

using namespace std::chrono_literals;

class Session : public testing::Test, protected testing_support::SessionFixture {
 protected:
  static std::size_t distinct(const std::vector<std::int64_t>& values) {
    return std::set<std::int64_t>(values.begin(), values.end()).size();
  }
};

TEST_F(Session, TriesEveryConfigurationOnceAndFindsTheBest) {
  evaluator.time_us = [](std::int64_t x, std::size_t) {
    return x == 13 ? 50.0 : 100.0 + static_cast<double>(x);
  };
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].evaluated, 20u);
  EXPECT_EQ(outcomes[0].failed, 0u);
  EXPECT_EQ(outcomes[0].skipped, 0u);
  EXPECT_EQ(distinct(evaluator.asked(true)), 20u);
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 13);
  EXPECT_EQ(stored(false).size(), 20u);
  for (const Trial& trial : stored(false)) {
    EXPECT_EQ(trial.kernel_digest, source.digest);
    EXPECT_EQ(trial.compile_ms, 5) << "of the pool, since the evaluator found the kernels compiled";
  }
}

TEST_F(Session, DefaultsComeBeforeProposals) {
  source.defaults = {17, 3, 99};  // 99 is not of the domain
  request.budget_evaluations = 2;
  request.compile_threads = 1;
  const auto outcomes = run();
  EXPECT_EQ(evaluator.asked(true), (std::vector<std::int64_t>{17, 3}));
  EXPECT_EQ(outcomes[0].evaluated, 2u);
}

TEST_F(Session, EvaluationsAreSharedAmongProblems) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}, {{}, {.n = 4096}}};
  request.budget_evaluations = 10;
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].evaluated, 4u);
  EXPECT_EQ(outcomes[1].evaluated, 3u);
  EXPECT_EQ(outcomes[2].evaluated, 3u);
}

TEST_F(Session, WhatOneProblemLeavesFlowsOn) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  request.budget_evaluations = 25;
  request.resume = true;
  request.problems.pop_back();
  (void)run();  // all of the first problem is known now
  request.problems.push_back({{}, {.n = 2048}});
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].evaluated, 0u);
  EXPECT_EQ(outcomes[1].evaluated, 20u);
}

TEST_F(Session, SecondsAreHonoured) {
  evaluator.on_call = [this](const EvaluationRequest&) { now += 20ms; };
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  request.budget_seconds = 0.3;
  request.finalists = 0;
  const auto begin = now;
  const auto outcomes = run();
  EXPECT_EQ(now - begin, 300ms);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].evaluated, 8u) << "half of the time, and what was under way at its end";
  EXPECT_EQ(outcomes[1].evaluated, 7u) << "the rest";
}

TEST_F(Session, ResumeMeasuresNothingAgain) {
  request.budget_evaluations = 8;
  (void)run();
  const auto first = evaluator.asked(true);
  evaluator.requests.clear();
  request.budget_evaluations.reset();
  const auto second = run();
  EXPECT_EQ(second[0].evaluated, 12u);
  EXPECT_EQ(second[0].skipped, 8u);
  for (const std::int64_t x : evaluator.asked(true))
    EXPECT_EQ(std::count(first.begin(), first.end(), x), 0) << x;
  EXPECT_EQ(second[0].best->configuration.at("x"), 0) << "found by the first session";

  evaluator.requests.clear();
  const auto third = run();
  EXPECT_TRUE(evaluator.requests.empty()) << "not even the finals";
  EXPECT_EQ(third[0].skipped, 20u);
  ASSERT_TRUE(third[0].best);
  EXPECT_TRUE(third[0].best->finalist);
  EXPECT_EQ(third[0].best->configuration.at("x"), 0);
}

TEST_F(Session, StoppedAgainAndAgainGetsToAllProblems) {
  request.problems = {{{}, {.n = 1000}}, {{}, {.n = 2000}}, {{}, {.n = 3000}}};
  request.finalists = 0;
  evaluator.on_call = [this](const EvaluationRequest&) { stop = evaluator.requests.size() % 2 == 0; };
  for (int round = 0; round < 6; ++round) {
    stop = false;
    static_cast<void>(run());
  }
  std::map<std::uint64_t, int> tried;
  for (const Trial& trial : stored(false)) ++tried[trial.problem.n];
  ASSERT_EQ(tried.size(), 3u);
  for (const auto& [n, count] : tried) EXPECT_GE(count, 3) << n;
}

TEST_F(Session, SessionsOnOneFileShareTheWork) {
  // While this session evaluates its first configuration, another one begins, and gets all the others.
  request.finalists = 0;
  testing_support::FakeEvaluator others;
  evaluator.on_call = [&](const EvaluationRequest&) {
    if (evaluator.requests.size() != 1) return;
    TuningDatabase own(path, DatabaseMode::read_write);
    std::atomic<bool> enough = false;
    others.on_call = [&](const EvaluationRequest&) { enough = others.requests.size() == 19; };
    static_cast<void>(
        tune_with(request, source, device, {"uuid", "driver", "compiler"}, others, own, {}, enough));
  };
  const auto outcomes = run();
  EXPECT_EQ(evaluator.asked(true).size(), 1u);
  EXPECT_EQ(others.asked(true).size(), 19u);
  EXPECT_EQ(stored(false).size(), 20u) << "each configuration once";
  EXPECT_EQ(outcomes[0].skipped, 19u);
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->configuration.text(), "fake(x=0)") << "whoever measured it";
}

TEST_F(Session, OtherKernelsProtocolsAndProblemsAreNotKnown) {
  (void)run();
  source.digest = "kernels of tomorrow";
  EXPECT_EQ(run()[0].evaluated, 20u);
  request.protocol.cold_l2 = true;
  EXPECT_EQ(run()[0].evaluated, 20u);
  request.problems = {{{}, {.n = 1024, .rows = 2}}};
  EXPECT_EQ(run()[0].evaluated, 20u);
  EXPECT_EQ(run()[0].evaluated, 0u);
  request.resume = false;
  EXPECT_EQ(run()[0].evaluated, 20u);
}

TEST_F(Session, FailuresAreStoredAndNotTriedAgain) {
  evaluator.status = [](std::int64_t x) {
    return x % 4 == 0 ? TrialStatus::wrong_result : x % 4 == 1 ? TrialStatus::timed_out : TrialStatus::ok;
  };
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].evaluated, 20u);
  EXPECT_EQ(outcomes[0].failed, 10u);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 2);
  EXPECT_EQ(stored(TrialStatus::timed_out).size(), 5u);
  EXPECT_EQ(run()[0].skipped, 20u);
}

TEST_F(Session, ProblemsWhoseKeysTakeTooLongAreGivenUpAlone) {
  Problem long_one = request.problems.front();
  long_one.n = std::uint64_t{1} << 30;
  request.problems.insert(request.problems.begin(), long_one);
  evaluator.on_call = [&](const EvaluationRequest& asked) {
    if (asked.problem == long_one) throw ProblemTimeout("it took too long");
  };
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].given_up, "it took too long");
  EXPECT_EQ(outcomes[0].evaluated, 0u);
  EXPECT_FALSE(outcomes[0].best.has_value());
  EXPECT_EQ(outcomes[1].given_up, "");
  EXPECT_TRUE(outcomes[1].best.has_value());
  const std::vector<DeviceResult> no_results;
  EXPECT_EQ(failure_of(no_results, outcomes).value_or(""), "it took too long");
}

TEST_F(Session, WhatFailedLaterIsSoundNoMore) {
  EXPECT_EQ(run()[0].best->configuration.at("x"), 0);
  evaluator.status = [](std::int64_t x) { return x == 0 ? TrialStatus::wrong_result : TrialStatus::ok; };
  request.resume = false;
  (void)run();
  request.resume = true;
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].evaluated, 0u);
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 1);
}

TEST_F(Session, WhatDoesNotCompileIsNotEvaluated) {
  source.on_compile = [](std::int64_t x, const std::stop_token&) {
    if (x < 5) return Compilation{.status = TrialStatus::compile_failed, .message = "no", .compile_ms = 7};
    if (x < 10) return Compilation{.status = TrialStatus::spilled, .message = "spills", .local_bytes = 8};
    return Compilation{};
  };
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].evaluated, 20u);
  EXPECT_EQ(outcomes[0].failed, 10u);
  EXPECT_EQ(evaluator.asked(true).size(), 10u);
  const auto spilled = stored(TrialStatus::spilled);
  ASSERT_EQ(spilled.size(), 5u);
  EXPECT_EQ(spilled[0].local_bytes, 8);
  EXPECT_EQ(spilled[0].message, "spills");
  EXPECT_EQ(stored(TrialStatus::compile_failed).size(), 5u);
}

TEST_F(Session, AMissingCompilerIsNoConfigurationsFault) {
  source.on_compile = [](std::int64_t, const std::stop_token&) {
    return Compilation{.fatal =
                           std::make_exception_ptr(Error(ErrorCode::unavailable, "there is no compiler"))};
  };
  EXPECT_THROW((void)run(), Error);
  EXPECT_TRUE(stored(false).empty());
}

TEST_F(Session, AllFailingLeavesNoBest) {
  evaluator.status = [](std::int64_t) { return TrialStatus::launch_failed; };
  const auto outcomes = run();
  EXPECT_FALSE(outcomes[0].best);
  EXPECT_TRUE(outcomes[0].ties.empty());
  EXPECT_EQ(outcomes[0].failed, 20u);
}

TEST_F(Session, StopKeepsWhatIsDone) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  evaluator.on_call = [this](const EvaluationRequest&) { stop = evaluator.requests.size() == 6; };
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 1u) << "the other problem was not begun";
  EXPECT_EQ(outcomes[0].evaluated, 6u);
  EXPECT_EQ(stored(false).size(), 6u) << "the evaluation under way was finished and stored";
  EXPECT_TRUE(stored(true).empty());
  EXPECT_TRUE(outcomes[0].best) << "of the search, without finals";
}

TEST_F(Session, StopWhileCompilingStoresNoFailure) {
  source.on_compile = [this](std::int64_t, const std::stop_token&) {
    stop = true;
    return Compilation{.status = TrialStatus::compile_failed, .message = "the compiler was interrupted"};
  };
  EXPECT_EQ(run()[0].evaluated, 0u);
  EXPECT_TRUE(stored(false).empty());
}

TEST_F(Session, ProgressCountsAndEnds) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  std::uint64_t most = 0;
  std::size_t with_trial = 0;
  on_progress = [&](const TuneProgress& progress) {
    ASSERT_NE(progress.problem, nullptr);
    EXPECT_EQ(progress.problem_count, 2u);
    EXPECT_LE(progress.evaluated, progress.candidates);
    EXPECT_EQ(progress.candidates, 20u);
    most = std::max(most, progress.evaluated);
    with_trial += progress.last != nullptr ? 1 : 0;
    if (progress.best != nullptr) {
      EXPECT_TRUE(progress.best->median_us());
    }
  };
  (void)run();
  EXPECT_EQ(most, 20u);
  EXPECT_EQ(with_trial, 40u);
}

TEST_F(Session, AbandonsFromTheBestSoFar) {
  request.compile_threads = 1;
  (void)run();
  ASSERT_GE(evaluator.requests.size(), 2u);
  EXPECT_EQ(evaluator.requests[0].abandon_above_us, 0);
  EXPECT_DOUBLE_EQ(evaluator.requests[1].abandon_above_us, 125) << "further behind than finalists may be";
}

TEST_F(Session, ManyCompileWorkersLoseNothing) {
  request.compile_threads = 8;
  // Of each pair the first does not end before the second has begun: several are always under way.
  std::array<std::unique_ptr<std::latch>, 10> pairs;
  for (auto& pair : pairs) pair = std::make_unique<std::latch>(1);
  source.on_compile = [&pairs](std::int64_t x, const std::stop_token&) {
    std::latch& pair = *pairs.at(static_cast<std::size_t>(x / 2));
    if (x % 2 == 0) {
      pair.wait();
    } else {
      pair.count_down();
    }
    return Compilation{};
  };
  EXPECT_EQ(run()[0].evaluated, 20u);
  EXPECT_EQ(source.compilations, 20);
}

TEST_F(Session, BadRequestsAreRefusedBeforeAnything) {
  request.strategy = "genius";
  EXPECT_THROW((void)run(), Error);
  request.strategy = "random";
  request.protocol.distribution = "gaussian";
  EXPECT_THROW((void)run(), Error);
  request.protocol.distribution = "random";
  request.protocol.min_samples = 0;
  EXPECT_THROW((void)run(), Error);
  EXPECT_TRUE(evaluator.requests.empty());
}

}  // namespace
}  // namespace bitune
