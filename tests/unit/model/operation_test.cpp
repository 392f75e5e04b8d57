// What is said of operations fits together.

#include "model/operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_class.hpp"
#include "model/problem_operands.hpp"

namespace bitune {
namespace {

/// A problem of the operation, with what it always has.
Problem usual_problem(const OperationFacts& facts, const Shape& shape) {
  return {{.operation = facts.operation,
           .value_bytes = facts.values == Presence::always ? 8U : 0U,
           .index_bytes = facts.indices == Presence::always ? 4U : 0U,
           .k = facts.selects ? 3U : 0U},
          shape};
}

bool writes(const Problem& problem, Role role) {
  const std::vector<CallArray> arrays = arrays_of(problem);
  return std::any_of(arrays.begin(), arrays.end(),
                     [role](const CallArray& array) { return array.out == role; });
}

TEST(OperationFacts, EachHasANameOfItsOwnThatIsRead) {
  std::set<std::string_view> names;
  for (const OperationFacts& facts : operation_facts) {
    EXPECT_TRUE(names.insert(facts.name).second) << facts.name;
    EXPECT_EQ(name_of(facts.operation), facts.name);
    EXPECT_EQ(parse_operation(facts.name), facts.operation);
    EXPECT_FALSE(facts.summary.empty()) << facts.name;
    EXPECT_FALSE(facts.instead.empty()) << facts.name;
  }
  EXPECT_EQ(operation_names([](const OperationFacts& facts) { return facts.values != Presence::never; }),
            "sort_pairs and top_k");
}

TEST(OperationFacts, KinIsMutualAndWhatWritesKeysDoes) {
  for (const OperationFacts& facts : operation_facts) {
    EXPECT_EQ(facts_of(facts.kin).kin, facts.kin) << facts.name;
    EXPECT_EQ(facts_of(facts.kin).selects, facts.selects) << facts.name;
    const OperationFacts& with_keys = facts_of(facts.with_keys);
    EXPECT_NE(with_keys.keys_out, Presence::never) << facts.name;
    EXPECT_NE(with_keys.indices, facts.indices == Presence::never ? Presence::always : Presence::never);
    const bool keeps_itself = facts.keys_out == Presence::never || facts.with_keys == facts.operation;
    EXPECT_TRUE(keeps_itself) << facts.name;
  }
}

TEST(OperationFacts, TheArraysOfACallAreWhatTheFactsSay) {
  for (const OperationFacts& facts : operation_facts) {
    for (const Shape& shape :
         {Shape{.n = 10}, Shape{.n = 10, .rows = 4}, Shape{.n = 10, .rows = 4, .ragged = true}}) {
      const Problem problem = usual_problem(facts, shape);
      EXPECT_EQ(writes(problem, Role::keys_out), facts.keys_out != Presence::never) << text_of(problem);
      EXPECT_EQ(writes(problem, Role::values_out), facts.values == Presence::always) << text_of(problem);
      EXPECT_EQ(writes(problem, Role::indices_out), facts.indices == Presence::always) << text_of(problem);
      EXPECT_EQ(result_length(problem), facts.selects ? 3 : 10) << text_of(problem);
      for (const CallArray& array : arrays_of(problem)) {
        const bool in_place = array.in == Role::keys_in && array.out.has_value();
        EXPECT_EQ(in_place, array.in == Role::keys_in && may_be_in_place(facts.operation))
            << text_of(problem);
        EXPECT_EQ(array.by_segment, shape.ragged && (array.in || !facts.selects)) << text_of(problem);
      }
    }
  }
}

TEST(OperationFacts, KeysAloneAreSortedByWhatNeedsNothingElse) {
  for (const OperationFacts& facts : operation_facts) {
    Problem problem = usual_problem(facts, {.n = 10});
    EXPECT_EQ(has_keys_alone(problem), facts.operation == SortSpec{}.operation) << facts.name;
    problem.index_bytes = 8;
    EXPECT_FALSE(has_keys_alone(problem)) << facts.name;
  }
}

}  // namespace
}  // namespace bitune
