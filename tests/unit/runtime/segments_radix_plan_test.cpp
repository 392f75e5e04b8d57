// Plans of the variant segments_radix: which memory each pass reads and writes, and how large its tables are.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace segments_radix_plan {
namespace {

const Variant& segments() { return variant("segments_radix"); }

Problem problem_of(const SortSpec& spec, std::uint64_t count, std::uint64_t keys) {
  return {spec, {.n = keys, .rows = count, .ragged = true}};
}

/// By default, with digits of so many bits; 0: of as many as by default.
Plan plan_of(const Problem& problem, std::int64_t bits = 0) {
  Configuration c = segments().default_configuration(problem, test::h200());
  if (bits != 0) c.parameters["long_radix_bits"] = bits;
  EXPECT_EQ(segments().space(problem, test::h200()).violation(c, problem, test::h200()), std::nullopt);
  return segments().plan(problem, c, test::h200());
}

/// What the launch over long segments is given of the keys, or of the values: as TurnArrays has it.
std::vector<Argument> arrays_of(const Plan& plan, bool of_values) {
  const auto first = plan.launches.back().arguments.begin() + (of_values ? 4 : 0);
  return {first, first + 4};
}

TEST(SegmentsRadixPlan, NeverWritesWhatATurnReads) {
  for (const std::int64_t bits : {7, 8}) {
    const Plan plan = plan_of(
        problem_of({.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 8}, 64, 1 << 22),
        bits);
    EXPECT_TRUE(plan.out_of_place);
    ASSERT_EQ(plan.launches.size(), 3u) << "clearing, listing, and all turns";
    for (const bool of_values : {false, true}) {
      const std::vector<Argument> arrays =
          arrays_of(plan, of_values);  // written in turns 0, 1 and 2; read first
      EXPECT_EQ(arrays[0].role, Role::workspace) << "it may be sorted in place";
      EXPECT_EQ(arrays[3].role, of_values ? Role::values_in : Role::keys_in);
      EXPECT_NE(arrays[1], arrays[0]);
      EXPECT_NE(arrays[2], arrays[1]);
      // The last of 5 turns writes the third array, of 4 turns the second.
      const Argument& last = arrays[bits == 7 ? 2 : 1];
      EXPECT_EQ(last, Argument::pointer_to(of_values ? Role::values_out : Role::keys_out));
    }
  }
}

TEST(SegmentsRadixPlan, AnArgsortWritesNoKeysAtTheEnd) {
  const Plan plan = plan_of(
      problem_of({.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4}, 64, 1 << 22));
  const Launch& last = plan.launches.back();
  EXPECT_NE(plan.kernels[last.kernel].name_expression.find("ValueSource::index, false"), std::string::npos);
  EXPECT_EQ(arrays_of(plan, true)[1], Argument::pointer_to(Role::indices_out)) << "of the last of four turns";
  for (const Launch& launch : plan.launches) {
    for (const Argument& argument : launch.arguments) {
      EXPECT_TRUE(argument.kind != Argument::Kind::pointer || argument.role != Role::keys_out ||
                  &launch == &plan.launches[1])
          << "only what lists segments is given it, and writes no keys either";
    }
  }
}

/// Of segments that are long the tables are small beside the keys; and they are never many times the keys.
TEST(SegmentsRadixPlan, TablesFitTheKeys) {
  const std::uint64_t keys = std::uint64_t{1} << 26;
  const std::uint64_t bytes = 4 * keys;
  EXPECT_LT(plan_of(problem_of({.key = KeyType::u32}, 512, keys)).workspace_bytes, bytes + bytes / 5);
  for (const std::uint64_t count : {1u, 1u << 10, 1u << 16, 1u << 17}) {
    const Plan plan = plan_of(problem_of({.key = KeyType::u32}, count, keys));
    EXPECT_LE(plan.workspace_bytes, 10 * bytes) << count;
  }
}

TEST(SegmentsRadixPlan, CountsManyKeysInEightBytes) {
  const auto last = [](std::uint64_t keys) {
    return plan_of(problem_of({.key = KeyType::u32}, 4, keys)).kernels.back().name_expression;
  };
  EXPECT_NE(last((std::uint64_t{1} << 30) - 1).find("27, 8, 4, 0, 4, 16, 4, 3, false>"), std::string::npos)
      << last(1 << 29);
  EXPECT_NE(last(std::uint64_t{1} << 30).find("27, 8, 2, 0, 4, 16, 8, 3, false>"), std::string::npos);
}

}  // namespace
}  // namespace segments_radix_plan
}  // namespace bitune
