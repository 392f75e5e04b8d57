// Plans of the variant segments_radix: which memory each pass reads and writes, and how large its tables are.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

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

/// Launches that clear, list, map and count.
constexpr std::size_t before_passes = 4;

TEST(SegmentsRadixPlan, NeverWritesWhatAPassReads) {
  for (const std::int64_t bits : {7, 8}) {
    const Plan plan = plan_of(
        problem_of({.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 8}, 64, 1 << 22),
        bits);
    EXPECT_TRUE(plan.out_of_place);
    ASSERT_EQ(plan.launches.size(), before_passes + (bits == 7 ? 5 : 4));
    for (std::size_t i = before_passes; i < plan.launches.size(); ++i) {
      const auto& now = plan.launches[i].arguments;
      for (const std::size_t out : {0, 2}) {
        if (i == before_passes) {
          EXPECT_EQ(now[out].role, Role::workspace) << "it may be sorted in place";
          EXPECT_EQ(now[out + 1].role, out == 0 ? Role::keys_in : Role::values_in);
        } else {
          EXPECT_EQ(now[out + 1], plan.launches[i - 1].arguments[out]) << bits;
        }
        EXPECT_NE(now[out], now[out + 1]) << bits;
      }
    }
    EXPECT_EQ(plan.launches.back().arguments[0], Argument::pointer_to(Role::keys_out));
    EXPECT_EQ(plan.launches.back().arguments[2], Argument::pointer_to(Role::values_out));
  }
}

TEST(SegmentsRadixPlan, AnArgsortWritesNoKeysAtTheEnd) {
  const Plan plan = plan_of(
      problem_of({.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4}, 64, 1 << 22));
  const Launch& last = plan.launches.back();
  EXPECT_NE(plan.kernels[last.kernel].name_expression.find("ValueSource::memory, false"), std::string::npos);
  EXPECT_EQ(last.arguments[2], Argument::pointer_to(Role::indices_out));
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
  EXPECT_NE(last((std::uint64_t{1} << 30) - 1).find("8, 4, 4, 3, false>"), std::string::npos)
      << last(1 << 29);
  EXPECT_NE(last(std::uint64_t{1} << 30).find("8, 4, 8, 3, false>"), std::string::npos);
}

}  // namespace
}  // namespace segments_radix_plan
}  // namespace bitune
