// Plans of all variants keep the rules of neighbours: who surrounds a sort may be a dependent launch, too.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/variant_problems.hpp"

namespace bitune {
namespace plan_neighbours {
namespace {

bool has(const Launch& launch, Role role) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [role](const Argument& argument) {
    return argument.kind == Argument::Kind::pointer && argument.role == role;
  });
}

/// Some valid configurations, from all over the space.
std::vector<Configuration> drawn(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  const SearchSpace space = variant.space(problem, device);
  std::vector<Configuration> found = {variant.default_configuration(problem, device)};
  for (std::uint64_t i = 0; i < 100 && found.size() < 5; ++i) {
    Configuration point = test::drawn_point(space, i);
    if (!space.violation(point, problem, device)) found.push_back(std::move(point));
  }
  return found;
}

/// What is wrong with a plan; empty if nothing is.
std::string fault_of(const Plan& plan) {
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch& launch = plan.launches[i];
    if (launch.dependent != plan.launches.front().dependent)
      return "some launches are dependent and some are not";
    const bool is_last = i + 1 == plan.launches.size();
    if (launch.dependent && launch.allows_next_early && is_last)
      return "the last launch lets others begin too early";
    if (launch.beside_previous) {
      if (i == 0) return "the first launch has none to work beside";
      const Launch& before = plan.launches[i - 1];
      if (before.allows_next_early && !before.beside_previous) return "what a launch needs may still run";
    }
    if (!launch.reads_keys_early) continue;
    if (i > 0 && plan.launches[i - 1].allows_next_early)
      return "what wrote the keys that are read early may still run";
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
        const Problem argsort{{.operation = Operation::argsort, .key = key, .index_bytes = 4, .stable = true},
                              {.n = n, .rows = rows}};
        std::vector<Problem> problems = test::kinds_of_problems(key, {.n = n, .rows = rows}, 4);
        problems.push_back(argsort);
        for (const Problem& problem : problems) {
          if (!variant->supports(problem, device)) continue;
          for (const Configuration& c : drawn(*variant, problem, device)) {
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

/// A letter for each launch: b works beside the one before, e lets the next one begin early, w waits first.
std::string order_of(const Plan& plan) {
  std::string order;
  for (const Launch& launch : plan.launches) {
    order += launch.beside_previous ? 'b' : launch.allows_next_early ? 'e' : 'w';
  }
  return order;
}

TEST(PlanNeighbours, ListsOfSegmentsAreSortedBesideEachOther) {
  const Variant& segments = variant("segments");
  const DeviceInfo device = test::h200();
  const Problem problem{{.key = KeyType::u32}, {.n = 1u << 24, .rows = 1u << 14, .ragged = true}};
  Configuration c = segments.default_configuration(problem, device);
  c.parameters["block_lists"] = 5;
  // Clearing, short ones, long ones; the lists.
  c.parameters["long_buckets"] = 0;
  EXPECT_EQ(order_of(segments.plan(problem, c, device)), "weewbbbb");
  // Clearing, short ones, long ones to buckets; short ones of these, and long ones.
  c.parameters["long_buckets"] = 1;
  EXPECT_EQ(order_of(segments.plan(problem, c, device)), "weeeewbbbb");
}

TEST(PlanNeighbours, OnlyTheLastLaunchOfARadixSortWaitsFirst) {
  const DeviceInfo device = test::h200();
  for (const Problem& problem :
       {Problem{{.key = KeyType::u32}, {.n = 1u << 24}},
        Problem{{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true},
                {.n = 1u << 24}}}) {
    const Variant& radix = variant(problem.value_bytes == 0 ? "radix" : "radix_pairs");
    const Plan plan = radix.plan(problem, radix.default_configuration(problem, device), device);
    EXPECT_EQ(order_of(plan), "eeeeew") << "clearing, counting, and four passes";
    EXPECT_NE(plan.launches[4].kernel, plan.launches[5].kernel) << "the order is a part of the kernel";
  }
}

constexpr Kernel<Address> waits{"kernels/planted.cuh", "waits"};
constexpr Kernel<Address> reads_early{"kernels/planted.cuh", "reads_early", true};
constexpr RowsKernel<Address> allows_early{"kernels/planted.cuh", "allows_early", true};
constexpr Kernel<Address> allows_early_too{
    .header = "kernels/planted.cuh", .name = "allows_early_too", .allows_next_early = true};

/// A plan of such launches: w and W wait first, r reads early. a, b and c let the next one begin early: by
/// their kernel, or by how it is launched. m and s work beside the one before, and m lets the next one do so.
/// W writes keys.
bool is_taken(std::string_view launches, bool dependent = true) {
  PlanBuilder builder;
  const Address beside{Argument::pointer_to(Role::workspace)};
  for (const char launch : launches) {
    if (launch == 'r') {
      builder.launch(reads_early, "1", {}, input_address());
    } else if (launch == 'a') {
      builder.launch(allows_early, "1", {}, beside);
    } else if (launch == 'b') {
      builder.launch(allows_early_too, "1", {}, beside);
    } else if (launch == 'c') {
      builder.launch(waits, "1", {.allows_next_early = true}, beside);
    } else if (launch == 'm' || launch == 's') {
      builder.launch(waits, "1", {.beside_previous = true, .allows_next_early = launch == 'm'}, beside);
    } else {
      builder.launch(waits, "1", {}, launch == 'W' ? keys_address() : beside);
    }
  }
  try {
    (void)builder.take(dependent);
    return true;
  } catch (const std::logic_error&) {
    return false;
  }
}

TEST(PlanNeighbours, APlanThatBreaksARuleIsRefused) {
  for (const char* const plan :
       {"", "w", "W", "wrW", "wwr", "aw", "waW", "awr", "bcw", "bcwr", "ws", "Wmms", "aws", "wmw"})
    EXPECT_TRUE(is_taken(plan)) << plan;
  for (const char* const plan :
       {"r", "rW", "Wr", "Wwr", "war", "a", "wa", "b", "wc", "br", "cr", "s", "as", "cms", "wm"})
    EXPECT_FALSE(is_taken(plan)) << plan;
  EXPECT_TRUE(is_taken("wa", false)) << "a launch that is not dependent begins when the one before has ended";
}

}  // namespace
}  // namespace plan_neighbours
}  // namespace bitune
