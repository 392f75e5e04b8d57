// Segments in the tuner: verified segment by segment, with gaps, and measured.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/plan_check.hpp"
#include "tests/support/sort_check.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::test {
namespace tuner_segments {
namespace {

constexpr Shape segments{.n = 700, .rows = 40, .ragged = true};
constexpr Problem keys{{.key = KeyType::u32}, segments};
constexpr Problem pairs{
    {.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 4, .stable = true}, segments};
constexpr Problem argsort{
    {.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4, .stable = true}, segments};

/// Writes 8 bytes at an offset from an operand.
Plan spoiling_plan(Role role, std::uint64_t offset) {
  Plan plan;
  plan.kernels = {{"kernels/measure/hold.cuh", "bitune::hold_stream<1>"}};
  Launch launch;
  launch.arguments = {Argument::number64(3), Argument::pointer_to(role, offset)};
  plan.launches = {launch};
  plan.workspace_bytes = 8;
  return plan;
}

TEST(EmulatedSegments, EveryVariantIsVerifiedAndMeasured) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  const DeviceInfo& info = emulated_bench().device->info();
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Problem& problem : {keys, pairs, argsort}) {
    for (const Variant* family : variants()) {
      if (family->supports(problem, info))
        sorts.emplace_back(problem, family->default_configuration(problem, info));
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const Problem& problem : {keys, pairs, argsort}) {
    int variants_that_can = 0;
    for (const Variant* family : variants()) {
      if (!family->supports(problem, info)) continue;
      ++variants_that_can;
      EvaluationRequest request;
      request.problem = problem;
      request.protocol.lengths = "mixed";
      request.configuration = family->default_configuration(problem, info);
      const Trial trial = evaluator->evaluate(request);
      EXPECT_EQ(trial.status, TrialStatus::ok)
          << family->name() << " " << text_of(problem) << ": " << trial.message;
      EXPECT_EQ(trial.samples_us.size(), 3u);
    }
    EXPECT_GT(variants_that_can, 0) << text_of(problem);
  }
}

TEST(EmulatedSegments, WhatIsNotSortedIsFound) {
  const auto wrong = verify(keys, spoiling_plan(Role::workspace, 0), {.lengths = "zipf"});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->substr(0, 24), "on random keys: segment ") << *wrong;
}

TEST(EmulatedSegments, AWriteToOffsetsIsFound) {
  const auto wrong = verify(keys, spoiling_plan(Role::offsets, 8), {.lengths = "zipf"});
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("wrote to its input"), std::string::npos) << *wrong;
}

TEST(EmulatedSegments, TheSourceOfLengthsMustBeOne) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  EvaluationRequest request;
  request.problem = keys;
  request.protocol.lengths = "nothing of the kind";
  for (const Variant* family : variants()) {
    if (!family->supports(keys, emulated_bench().device->info())) continue;
    request.configuration = family->default_configuration(keys, emulated_bench().device->info());
    const Trial trial = evaluator->evaluate(request);
    EXPECT_EQ(trial.status, TrialStatus::invalid);
    EXPECT_NE(trial.message.find("uniform, zipf, few_long, equal, mixed"), std::string::npos)
        << trial.message;
    return;
  }
}

}  // namespace
}  // namespace tuner_segments
}  // namespace bitune::test
