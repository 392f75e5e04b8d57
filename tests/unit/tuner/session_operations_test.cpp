// Sessions over pairs and argsort: each operation is a problem of its own, and what one finds the others
// begin with.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "measure/json.hpp"
#include "model/problem.hpp"
#include "tests/unit/tuner/fake_session.hpp"
#include "tuner/problem_queue.hpp"
#include "tuner/request_json.hpp"

namespace bitune {
namespace {

constexpr Problem keys{{}, {.n = 1024}};
constexpr Problem pairs{{.operation = Operation::sort_pairs, .value_bytes = 4, .stable = true}, {.n = 1024}};
constexpr Problem wide_pairs{{.operation = Operation::sort_pairs, .value_bytes = 16, .stable = true},
                             {.n = 1024}};
constexpr Problem argsort{{.operation = Operation::argsort, .index_bytes = 4, .stable = true}, {.n = 1024}};

class SessionOfOperations : public testing::Test, protected testing_support::SessionFixture {
 protected:
  SessionOfOperations() {
    source.selects_on = device;
    request.compile_threads = 1;
  }

  /// What was asked for each problem, in this order.
  std::map<std::string, std::vector<std::int64_t>> asked() const {
    std::map<std::string, std::vector<std::int64_t>> asked;
    for (const EvaluationRequest& evaluation : evaluator.requests) {
      asked[word_of(evaluation.problem)].push_back(evaluation.configuration.at("x"));
    }
    return asked;
  }
};

TEST_F(SessionOfOperations, EachIsTunedAndStoredOnItsOwn) {
  request.problems = {keys, pairs, wide_pairs, argsort};
  request.finalists = 2;
  const auto best_of = [](const Problem& problem) {
    return problem == keys ? 3 : problem == pairs ? 5 : problem == wide_pairs ? 7 : 9;
  };
  Problem now_evaluated;
  evaluator.on_call = [&](const EvaluationRequest& evaluation) { now_evaluated = evaluation.problem; };
  evaluator.time_us = [&](std::int64_t x, std::size_t) { return x == best_of(now_evaluated) ? 50.0 : 100.0; };
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 4u);
  for (const TuneOutcome& outcome : outcomes) {
    ASSERT_TRUE(outcome.best) << text_of(outcome.problem);
    EXPECT_EQ(outcome.best->configuration.at("x"), best_of(outcome.problem)) << text_of(outcome.problem);
    EXPECT_TRUE(outcome.best->finalist);
    const auto best = database.best({});
    EXPECT_EQ(best.size(), 4u);
    TrialFilter filter;
    static_cast<ProblemFilter&>(filter) = ProblemFilter::of(outcome.problem);
    const auto rows = database.best(filter);
    ASSERT_EQ(rows.size(), 1u) << text_of(outcome.problem);
    EXPECT_EQ(rows[0].trial.configuration.at("x"), best_of(outcome.problem));
    EXPECT_EQ(rows[0].trial.problem, outcome.problem);
  }
}

TEST_F(SessionOfOperations, ResumeKnowsThemApart) {
  request.problems = {pairs};
  request.budget_evaluations = 8;
  (void)run();
  evaluator.requests.clear();
  request.problems = {wide_pairs, pairs};
  request.budget_evaluations.reset();
  const auto outcomes = run();
  EXPECT_EQ(outcomes[0].evaluated, 20u) << "other values";
  EXPECT_EQ(outcomes[1].evaluated, 12u);
  EXPECT_EQ(outcomes[1].skipped, 8u);
}

TEST_F(SessionOfOperations, WhatOneFoundTheNextBeginsWith) {
  request.problems = {pairs, argsort, keys};
  request.finalists = 0;
  source.defaults = {7};
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 13 ? 50.0 : 100.0; };
  (void)run();
  auto first = asked();
  EXPECT_EQ(first[word_of(pairs)].at(0), 7) << "the incumbent";
  EXPECT_EQ(first[word_of(argsort)].at(0), 7) << "what sorts took before the session";
  EXPECT_EQ(first[word_of(argsort)].at(1), 13) << "the winner of pairs";
  EXPECT_NE(first[word_of(keys)].at(1), 13) << "keys alone are sorted by other kernels";
}

TEST_F(SessionOfOperations, WhatSelectionTakesFromANeighbourIsTheIncumbent) {
  request.problems = {pairs};
  request.finalists = 0;
  source.defaults = {7};
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 13 ? 50.0 : 100.0; };
  (void)run();
  evaluator.requests.clear();
  request.problems = {argsort};
  (void)run();
  EXPECT_EQ(asked()[word_of(argsort)].at(0), 13);
  EXPECT_EQ(asked()[word_of(argsort)].at(1), 7) << "and what it would take if nobody had tuned this device";
}

TEST_F(SessionOfOperations, AWorkerIsToldTheWholeProblem) {
  for (const Problem& problem : {keys, pairs, wide_pairs, argsort}) {
    EvaluationRequest evaluation;
    evaluation.problem = problem;
    evaluation.configuration = {"radix_pairs", {}};
    EXPECT_EQ(request_from(Json::parse(line_of(json_of(evaluation)))).problem, problem) << text_of(problem);
  }
}

TEST_F(SessionOfOperations, WhatTravelsTakesTime) {
  // 512 MB of keys take as much as a short problem; with as many bytes of values beside them, twice that.
  const std::uint64_t many = std::uint64_t{1} << 27;
  Problem large = keys;
  large.n = many;
  Problem large_pairs = pairs;
  large_pairs.n = many;
  const auto part_of = [](const Problem& problem) {
    ProblemQueue queue({problem, {{}, {.n = 0}}}, 1, std::nullopt);
    return queue.part_of_time(*queue.take([] { return false; }));
  };
  EXPECT_DOUBLE_EQ(part_of(large), 2.0 / 3);
  EXPECT_DOUBLE_EQ(part_of(large_pairs), 3.0 / 4);
}

}  // namespace
}  // namespace bitune
