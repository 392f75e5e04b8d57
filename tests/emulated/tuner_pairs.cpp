// Operations with values and indices in the tuner: verified by role, on all inputs that keys have, and
// measured.

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/plan_check.hpp"
#include "tests/support/sort_check.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::test {
namespace tuner_pairs {
namespace {

constexpr SortSpec stable_pairs{
    .operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 2, .stable = true};
constexpr SortSpec stable_argsort{
    .operation = Operation::argsort, .key = KeyType::u16, .index_bytes = 4, .stable = true};
constexpr Problem pairs{stable_pairs, {.n = 500}};
constexpr Problem argsort{stable_argsort, {.n = 500}};

Plan right_plan(const Problem& problem) {
  const DeviceInfo& info = emulated_bench().device->info();
  const Variant& family = variant("radix_pairs");
  Configuration small_tiles = family.default_configuration(problem, info);  // as threads cost time here
  small_tiles.parameters["block_size_x"] = 128;
  small_tiles.parameters["items_per_thread"] = 5;
  small_tiles.parameters["min_blocks_per_sm"] = 1;
  return family.plan(problem, small_tiles, info);
}

/// Adds a launch that writes 8 bytes at an offset from an operand.
Plan spoiled(Plan plan, Role role, std::int64_t offset) {
  plan.kernels.push_back({"kernels/measure/hold.cuh", "bitune::hold_stream<1>"});
  Launch launch;
  launch.kernel = plan.kernels.size() - 1;
  launch.arguments = {Argument::number64(3), Argument::pointer_to(role, static_cast<std::uint64_t>(offset))};
  plan.launches.push_back(launch);
  return plan;
}

/// Sorts keys by their values before it sorts values by their keys: equal keys come in the order of their
/// values.
Plan ties_by_value(const Problem& problem) {
  const auto swapped = [](Role role) {
    switch (role) {
      case Role::keys_in:
        return Role::values_in;
      case Role::keys_out:
        return Role::values_out;
      case Role::values_in:
        return Role::keys_in;
      case Role::values_out:
        return Role::keys_out;
      default:
        return role;
    }
  };
  Plan plan = right_plan(problem);
  std::vector<Launch> first = plan.launches;
  for (Launch& launch : first) {
    for (Argument& argument : launch.arguments) {
      if (argument.kind == Argument::Kind::pointer) argument.role = swapped(argument.role);
    }
  }
  plan.launches.insert(plan.launches.begin(), first.begin(), first.end());
  plan.out_of_place = false;
  return plan;
}

TEST(EmulatedPairsTuner, EveryVariantsDefaultIsVerifiedAndMeasured) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  const std::vector<SortSpec> specs = {
      stable_pairs,
      {.operation = Operation::sort_pairs,
       .key = KeyType::f64,
       .value_bytes = 16,
       .order = Order::descending},
      {.operation = Operation::argsort, .key = KeyType::bf16, .index_bytes = 8, .stable = true},
      {.operation = Operation::sort, .key = KeyType::i8, .index_bytes = 4, .order = Order::descending}};
  std::vector<EvaluationRequest> requests;
  std::vector<std::pair<Problem, Configuration>> sorts;
  std::size_t turn = 0;
  for (const SortSpec& spec : specs) {
    ++turn;
    // Arrays and rows in turn.
    const Shape shapes[] = {{.n = 0}, {.n = 1}, turn % 2 == 1 ? Shape{.n = 700} : Shape{.n = 70, .rows = 11}};
    for (const Shape& shape : shapes) {
      for (const Variant* family : variants()) {
        Problem problem{spec, shape};
        if (!family->supports(problem, emulated_bench().device->info())) continue;
        EvaluationRequest request;
        request.configuration = family->default_configuration(problem, emulated_bench().device->info());
        // Each row is a launch's cluster of thousands of threads, which know nothing of other rows: three
        // show that.
        if (problem.rows > 3 && request.configuration.parameters.count("cluster_size") != 0) problem.rows = 3;
        // Four blocks that send each other all keys show as much of it as sixteen do.
        if (family->name() == std::string_view("cluster_by_digits"))
          request.configuration.parameters.at("cluster_size") = 4;
        request.problem = problem;
        sorts.emplace_back(problem, request.configuration);
        requests.push_back(std::move(request));
      }
    }
  }
  compile_all(emulated_bench(), sorts);
  std::size_t arrays = 0;
  for (const EvaluationRequest& request : requests) {
    const Trial trial = evaluator->evaluate(request);
    EXPECT_EQ(trial.status, TrialStatus::ok)
        << text_of(request.problem) << ": " << request.configuration.variant << ": " << trial.message;
    EXPECT_EQ(trial.samples_us.size(), 3u);
    arrays += request.problem.rows == 1 ? 1 : 0;
  }
  EXPECT_GE(arrays, 3 * specs.size());
}

TEST(EmulatedPairsTuner, FindsWhatIsNotSorted) {
  for (const Problem& problem : {pairs, argsort}) {
    const auto wrong = verify(problem, {});
    ASSERT_TRUE(wrong) << text_of(problem);
    EXPECT_NE(wrong->find("on random keys: "), std::string::npos) << *wrong;
  }
}

TEST(EmulatedPairsTuner, FindsAValueOrAnIndexInAWrongPlace) {
  auto wrong = verify(pairs, spoiled(right_plan(pairs), Role::values_out, 400));
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("on random keys: place 200: value 0x"), std::string::npos) << *wrong;
  wrong = verify(argsort, spoiled(right_plan(argsort), Role::indices_out, 400));
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("on random keys: place 100: index "), std::string::npos) << *wrong;
}

TEST(EmulatedPairsTuner, FindsWritesBesideEachArray) {
  auto wrong = verify(pairs, spoiled(right_plan(pairs), Role::values_out, 1000));
  EXPECT_EQ(wrong, "on random keys: values: wrote outside the array, behind it");
  wrong = verify(pairs, spoiled(right_plan(pairs), Role::keys_out, -8));
  EXPECT_EQ(wrong, "on random keys: keys: wrote outside the array, before it");
  wrong = verify(argsort, spoiled(right_plan(argsort), Role::indices_out, 2000));
  EXPECT_EQ(wrong, "on random keys: indices: wrote outside the array, behind it");
}

TEST(EmulatedPairsTuner, FindsAWriteToTheInput) {
  EXPECT_EQ(verify(argsort, spoiled(right_plan(argsort), Role::keys_in, 400)),
            "on random keys: wrote to its input");
  // In place the values' input is their output, and shows no more.
  EXPECT_NE(verify(pairs, spoiled(right_plan(pairs), Role::values_in, 400)), std::nullopt);
}

TEST(EmulatedPairsTuner, EqualKeysKeepTheirOrderOnlyWhereThatIsAsked) {
  Problem few = pairs;
  EXPECT_EQ(verify(few, right_plan(few)), std::nullopt);
  const auto wrong = verify(few, ties_by_value(few));
  ASSERT_TRUE(wrong) << "some inputs have equal keys";
  EXPECT_NE(wrong->find("value 0x"), std::string::npos) << *wrong;
  few.stable = false;
  EXPECT_EQ(verify(few, right_plan(few)), std::nullopt);
  EXPECT_EQ(verify(few, ties_by_value(few)), std::nullopt) << "the oracle takes any order of equal keys";
  const auto beside = verify(few, spoiled(ties_by_value(few), Role::values_out, 1000));
  ASSERT_TRUE(beside) << "guards count all the same";
  EXPECT_NE(beside->find("wrote outside the array, behind it"), std::string::npos) << *beside;
}

TEST(EmulatedPairsTuner, WhatHasNoReferenceIsInvalid) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  EvaluationRequest request;
  request.problem = pairs;
  request.configuration =
      variant("radix_pairs").default_configuration(pairs, emulated_bench().device->info());
  request.problem.ragged = true;
  EXPECT_EQ(evaluator->evaluate(request).status, TrialStatus::invalid);
}

}  // namespace
}  // namespace tuner_pairs
}  // namespace bitune::test
