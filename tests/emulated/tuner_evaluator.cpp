// Evaluators over real kernels: what is right is ok, what is wrong is found, what does not fit is not
// launched.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "bitune/error.hpp"
#include "measure/measure.hpp"
#include "measure/problem_data.hpp"
#include "measure/verify.hpp"
#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"
#include "tests/support/variant_problems.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::test {
namespace tuner_evaluator {
namespace {

EvaluationRequest request_of(const Variant& variant, const Problem& problem) {
  EvaluationRequest request;
  request.problem = problem;
  request.configuration = variant.default_configuration(problem, emulated_bench().device->info());
  return request;
}

/// One problem ready to verify plans on.
struct Verification {
  explicit Verification(const Problem& for_problem)
      : problem(for_problem),
        stream(emulated_bench().device->create_stream()),
        data(*emulated_bench().device, problem, MeasuredInput{.seed = 1, .inputs = 8}, stream->handle()),
        verifier(*emulated_bench().device, *emulated_bench().kernels) {}

  std::optional<std::string> check(Plan plan) {
    const auto executable =
        make_executable(*emulated_bench().device, *emulated_bench().kernels, std::move(plan));
    return verifier.check(executable, data, nullptr, stream->handle());
  }
  [[nodiscard]] Plan right_plan() const {
    const Variant& warp = variant("warp");
    const DeviceInfo& info = emulated_bench().device->info();
    return warp.plan(problem, warp.default_configuration(problem, info), info);
  }

  Problem problem;
  std::unique_ptr<DeviceStream> stream;
  ProblemData data;
  Verifier verifier;
};

/// Adds a launch that writes 8 bytes at an offset from the keys.
Plan spoiled(Plan plan, std::int64_t offset) {
  plan.kernels.push_back({"kernels/measure/hold.cuh", "bitune::hold_stream<1>"});
  Launch launch;
  launch.kernel = plan.kernels.size() - 1;
  launch.arguments = {Argument::number64(3),
                      Argument::pointer_to(Role::keys_out, static_cast<std::uint64_t>(offset))};
  plan.launches.push_back(launch);
  return plan;
}

TEST(EmulatedVerifier, TakesRightResultsOfEveryWidth) {
  for (const KeyType key : {KeyType::i8, KeyType::bf16, KeyType::f32, KeyType::f64}) {
    Verification verification({{.key = key, .order = Order::descending}, {.n = 777}});
    EXPECT_EQ(verification.check(verification.right_plan()), std::nullopt) << name_of(key);
  }
}

TEST(EmulatedVerifier, FindsWhatIsNotSorted) {
  Verification verification({{.key = KeyType::u32}, {.n = 500}});
  const auto wrong = verification.check({});
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("on random keys: "), std::string::npos) << *wrong;
  EXPECT_NE(wrong->find("place 0: key 0x"), std::string::npos) << *wrong;
}

TEST(EmulatedVerifier, FindsWritesBesideTheArray) {
  Verification verification({{.key = KeyType::u64}, {.n = 500}});
  const auto behind = verification.check(spoiled(verification.right_plan(), 4000));
  ASSERT_TRUE(behind);
  EXPECT_NE(behind->find("wrote outside the array, behind it"), std::string::npos) << *behind;
  const auto before = verification.check(spoiled(verification.right_plan(), -8));
  ASSERT_TRUE(before);
  EXPECT_NE(before->find("wrote outside the array, before it"), std::string::npos) << *before;
}

TEST(EmulatedVerifier, ChecksEachRow) {
  Verification verification({{.key = KeyType::u16}, {.n = 1, .rows = 40}});
  EXPECT_EQ(verification.check({}), std::nullopt) << "rows of one key are sorted";
  Verification longer({{.key = KeyType::u16}, {.n = 2, .rows = 40}});
  EXPECT_TRUE(longer.check({}));
}

TEST(EmulatedVerifier, ManyKeysAndLittleMemoryLimitTheDistributions) {
  const Problem small{{}, {.n = 1000}};
  EXPECT_EQ(verified_distributions(small, CallLayouts::of(small), 0).size(), all_distributions.size());
  const Problem large{{}, {.n = std::uint64_t{1} << 24}};
  EXPECT_EQ(verified_distributions(large, CallLayouts::of(large), 0).size(), 4u);
  const auto few = verified_distributions(large, CallLayouts::of(large), std::int64_t{700} << 20);
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few.front(), Distribution::random);
  EXPECT_EQ(verified_distributions(large, CallLayouts::of(large), 1).size(), 1u);
}

/// Whether values or indices travel with the keys that the variant sorts, it gives the first ones, or sorts
/// segments.
bool does_more_than_sort(const Variant& variant) {
  const DeviceInfo& device = emulated_bench().device->info();
  for (const std::uint64_t n : {std::uint64_t{500}, std::uint64_t{1000}, std::uint64_t{1} << 12,
                                std::uint64_t{1} << 16, std::uint64_t{1} << 20, std::uint64_t{1} << 32}) {
    if (variant.supports(problem_for(variant, device, KeyType::f32, {.n = n}), device)) return true;
  }
  return false;
}

TEST(EmulatedEvaluator, EveryVariantsDefaultIsVerifiedAndMeasured) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  for (const Variant* family : variants()) {
    const auto sorts = [family](KeyType key) {
      return family->supports({{.key = key}, {.n = 1000}}, emulated_bench().device->info());
    };
    const KeyType key = sorts(KeyType::f32) ? KeyType::f32 : KeyType::f16;
    if (!sorts(key)) {
      // What is for pairs, or for the first keys, alone is refused, and costs one trial.
      EXPECT_TRUE(does_more_than_sort(*family)) << family->name();
      const Trial trial = evaluator->evaluate(request_of(*family, {{.key = key}, {.n = 1000}}));
      EXPECT_EQ(trial.status, TrialStatus::invalid) << trial.message;
      continue;
    }
    for (const std::uint64_t n : {0, 1, 1000}) {
      const auto request = request_of(*family, {{.key = key}, {.n = n}});
      const Trial trial = evaluator->evaluate(request);
      EXPECT_EQ(trial.status, TrialStatus::ok) << trial.message;
      EXPECT_EQ(trial.samples_us.size(), 3u);
      EXPECT_EQ(trial.configuration, request.configuration);
      EXPECT_EQ(trial.launches > 0, n > 1);
      EXPECT_GT(trial.verify_ms, 0);
      EXPECT_FALSE(trial.kernel_digest.empty());
    }
  }
}

TEST(EmulatedEvaluator, SpecialInputIsMeasuredToo) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  auto request = request_of(variant("warp"), {{.key = KeyType::f32}, {.n = 1000}});
  request.protocol.distribution = "special";
  request.protocol.min_samples = 2;
  request.protocol.cold_l2 = true;
  EXPECT_EQ(evaluator->evaluate(request).samples_us.size(), 2u);
}

TEST(EmulatedEvaluator, SlowOnesAreAbandonedButOk) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  auto request = request_of(variant("warp"), {{.key = KeyType::f32}, {.n = 1000}});
  request.abandon_above_us = 1e-6;
  const Trial trial = evaluator->evaluate(request);
  EXPECT_EQ(trial.status, TrialStatus::ok);
  EXPECT_GE(trial.samples_us.size(), 1u);
  for (const double sample : trial.samples_us) EXPECT_GT(sample, request.abandon_above_us);
}

TEST(EmulatedEvaluator, WhatIsInvalidIsOneTrial) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  auto request = request_of(variant("warp"), {{.key = KeyType::f32}, {.n = 1000}});
  request.configuration.parameters["block_size_x"] = 77;
  Trial trial = evaluator->evaluate(request);
  EXPECT_EQ(trial.status, TrialStatus::invalid);
  EXPECT_NE(trial.message.find("block_size_x"), std::string::npos) << trial.message;
  request.configuration.variant = "magic";
  EXPECT_EQ(evaluator->evaluate(request).status, TrialStatus::invalid);
  request = request_of(variant("warp"), {{.key = KeyType::f32}, {.n = 1000}});
  request.problem.operation = Operation::argsort;
  EXPECT_EQ(evaluator->evaluate(request).status, TrialStatus::invalid);
}

TEST(EmulatedMeasurer, KeepsToItsCountsAndRestoresTheInput) {
  Verification verification({{.key = KeyType::u32}, {.n = 600}});
  const auto plan =
      make_executable(*emulated_bench().device, *emulated_bench().kernels, verification.right_plan());
  Measurer measurer(*emulated_bench().device, *emulated_bench().kernels);
  Protocol protocol;
  protocol.min_samples = 2;
  const auto measurement = measurer.measure(plan, verification.data, Distribution::random, protocol, 0,
                                            nullptr, verification.stream->handle());
  EXPECT_EQ(measurement.samples_us.size(), 2u);
  EXPECT_FALSE(measurement.abandoned);
  for (const double sample : measurement.samples_us) EXPECT_GT(sample, 0);
}

TEST(EmulatedWorker, EvaluatesAsThisProcessDoes) {
  const auto cache =
      std::filesystem::path(testing::TempDir()) / ("bitune-worker-" + std::to_string(getpid()));
  const auto evaluator =
      make_worker_evaluator({.program = std::filesystem::read_symlink("/proc/self/exe").string(),
                             .device = "emulated",
                             .kernel_cache = cache.string(),
                             .timeout_seconds = 1e6});  // CTest ends a test that hangs
  const auto request = request_of(variant("warp"), {{.key = KeyType::u32}, {.n = 300}});
  const Trial trial = evaluator->evaluate(request);
  EXPECT_EQ(trial.status, TrialStatus::ok) << trial.message;
  EXPECT_EQ(trial.problem, request.problem);
  EXPECT_EQ(trial.samples_us.size(), 3u);
  EXPECT_GT(trial.compile_ms, 0);
  EXPECT_EQ(evaluator->evaluate(request).compile_ms, 0) << "the worker keeps its kernels";
  std::filesystem::remove_all(cache);
}

TEST(EmulatedWorker, OnADeviceThatIsNotThereThrows) {
  const auto evaluator =
      make_worker_evaluator({.program = std::filesystem::read_symlink("/proc/self/exe").string(),
                             .device = "GPU-00000000-nowhere",
                             .kernel_cache = testing::TempDir()});
  try {
    (void)evaluator->evaluate(request_of(variant("warp"), {{}, {.n = 300}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace tuner_evaluator
}  // namespace bitune::test
