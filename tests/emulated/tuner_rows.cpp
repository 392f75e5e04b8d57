// Rows in the tuner: verified row by row, with gaps and out of place, and measured.

#include <gtest/gtest.h>

#include "model/key_type.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/plan_check.hpp"
#include "tests/support/sort_check.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::test {
namespace tuner_rows {
namespace {

Plan plan_of(const char* name, const Problem& problem) {
  const DeviceInfo& info = emulated_bench().device->info();
  const Variant& family = variant(name);
  return family.plan(problem, family.default_configuration(problem, info), info);
}

constexpr Problem problem{{.key = KeyType::u64, .order = Order::descending}, {.n = 30, .rows = 21}};

TEST(EmulatedRows, EveryVariantIsVerifiedAndMeasured) {
  const auto evaluator = make_local_evaluator(emulated_bench().device, emulated_bench().kernels);
  for (const Variant* family : variants()) {
    for (const Problem& rows : {problem, Problem{{.key = KeyType::u8}, {.n = 100, .rows = 3}}}) {
      if (!family->supports(rows, emulated_bench().device->info())) continue;
      EvaluationRequest request;
      request.problem = rows;
      request.configuration = family->default_configuration(rows, emulated_bench().device->info());
      const Trial trial = evaluator->evaluate(request);
      EXPECT_EQ(trial.status, TrialStatus::ok) << family->name() << ": " << trial.message;
      EXPECT_EQ(trial.samples_us.size(), 3u);
    }
  }
}

TEST(EmulatedRows, AWrongNumberOfRowsIsFound) {
  Problem fewer = problem;
  fewer.rows -= 1;
  const auto wrong = verify(problem, plan_of("rows", fewer));
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("row 20, place 0: key 0x"), std::string::npos) << *wrong;
}

TEST(EmulatedRows, APlanThatTakesRowsForPackedIsFound) {
  Plan plan = plan_of("rows", problem);
  for (Argument& argument : plan.launches.at(0).arguments) {
    if (argument.kind == Argument::Kind::stride) argument = Argument::number64(problem.n);
  }
  const auto wrong = verify(problem, std::move(plan));
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("on random keys in rows with gaps between them: "), std::string::npos) << *wrong;
}

TEST(EmulatedRows, AWriteToTheInputIsFound) {
  // Sorts the input first: nobody sees that in place.
  Plan plan = plan_of("rows", problem);
  ASSERT_TRUE(plan.out_of_place);
  Launch first = plan.launches.at(0);
  for (Argument& argument : first.arguments) {
    if (argument == Argument::pointer_to(Role::keys_out)) argument.role = Role::keys_in;
  }
  plan.launches.insert(plan.launches.begin(), first);
  const auto wrong = verify(problem, std::move(plan));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(*wrong, "on random keys sorted out of place: wrote to its input");
}

TEST(EmulatedRows, MemoryForGapsIsCounted) {
  const Problem large{{}, {.n = 1 << 10, .rows = 1 << 14}};
  EXPECT_EQ(verified_distributions(large, CallLayouts::of(large), 0).size(), 4u);
  EXPECT_EQ(verified_distributions(large, CallLayouts::of(large), std::int64_t{1200} << 20).size(), 2u);
  EXPECT_EQ(verified_distributions(large, CallLayouts::of(large), 1).size(), 1u);
}

}  // namespace
}  // namespace tuner_rows
}  // namespace bitune::test
