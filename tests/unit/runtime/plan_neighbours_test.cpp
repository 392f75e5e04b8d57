// Plans of all variants keep the rules of neighbours: who surrounds a sort may be a dependent launch, too.

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune {
namespace {

bool has(const Launch& launch, Role role) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [role](const Argument& argument) {
    return argument.kind == Argument::Kind::pointer && argument.role == role;
  });
}

/// What is wrong with a plan; empty if nothing is.
std::string fault_of(const Plan& plan) {
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch& launch = plan.launches[i];
    if (launch.dependent != plan.launches.front().dependent)
      return "some launches are dependent and some are not";
    if (!launch.reads_keys_early) continue;
    if (i == 0) return "the first launch reads before it waits";
    for (std::size_t before = 0; before < i; ++before) {
      if (has(plan.launches[before], Role::keys_out))
        return "a launch reads keys early that one before it writes";
    }
    if (!has(launch, Role::keys_in)) return "a launch that reads keys early has no keys to read";
  }
  return {};
}

TEST(PlanNeighbours, EveryPlanOfEveryVariantKeepsTheRules) {
  const DeviceInfo device = test::h200();
  std::size_t plans = 0;
  std::size_t dependent = 0;
  std::size_t early = 0;
  for (const Variant* variant : variants()) {
    for (const auto& [n, rows] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1},
                                                                                      {1000, 1},
                                                                                      {5000, 1},
                                                                                      {100003, 1},
                                                                                      {1u << 20, 1},
                                                                                      {1u << 25, 1},
                                                                                      {100, 1000},
                                                                                      {20000, 7}}) {
      for (const KeyType key : {KeyType::u8, KeyType::f16, KeyType::u32, KeyType::f64}) {
        const Problem keys{{.key = key}, {.n = n, .rows = rows}};
        const Problem pairs{
            {.operation = Operation::sort_pairs, .key = key, .value_bytes = 4, .stable = true},
            {.n = n, .rows = rows}};
        const Problem argsort{{.operation = Operation::argsort, .key = key, .index_bytes = 4, .stable = true},
                              {.n = n, .rows = rows}};
        for (const Problem& problem : {keys, pairs, argsort}) {
          if (!variant->supports(problem, device)) continue;
          for (const Configuration& c : test::sample_configurations(*variant, problem, device, 8, n + rows)) {
            const Plan plan = variant->plan(problem, c, device);
            EXPECT_EQ(fault_of(plan), "") << text_of(problem) << " with " << c.text();
            ++plans;
            dependent += !plan.launches.empty() && plan.launches.front().dependent ? 1 : 0;
            early += std::any_of(plan.launches.begin(), plan.launches.end(),
                                 [](const Launch& launch) { return launch.reads_keys_early; })
                         ? 1
                         : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(dependent, 0u);
  EXPECT_LT(dependent, plans);
  EXPECT_GT(early, 0u) << "counting and samplesort read early";
}

constexpr Kernel<Address> reads_early{"kernels/planted.cuh", "reads_early", true};
constexpr Kernel<Address> waits_first{"kernels/planted.cuh", "waits_first"};

TEST(PlanNeighbours, APlanThatReadsTooEarlyIsRefused) {
  const auto take = [](const std::vector<std::pair<Kernel<Address>, Address>>& launches) {
    PlanBuilder builder;
    for (const auto& [kernel, address] : launches) builder.launch(kernel, "1", {}, address);
    return builder.take(true);
  };
  const Address beside{Argument::pointer_to(Role::workspace)};
  EXPECT_NO_THROW(
      (void)take({{waits_first, beside}, {reads_early, input_address()}, {waits_first, keys_address()}}));
  EXPECT_NO_THROW((void)take({{waits_first, beside}, {waits_first, beside}, {reads_early, input_address()}}));
  EXPECT_THROW((void)take({{reads_early, input_address()}}), std::logic_error);
  EXPECT_THROW((void)take({{waits_first, keys_address()}, {reads_early, input_address()}}), std::logic_error);
  EXPECT_THROW(
      (void)take({{waits_first, keys_address()}, {waits_first, beside}, {reads_early, input_address()}}),
      std::logic_error);
}

}  // namespace
}  // namespace bitune
