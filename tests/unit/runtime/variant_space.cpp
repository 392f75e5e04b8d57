// Search spaces and plans as data: no device is needed.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/network_plan.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/variant_problems.hpp"

namespace bitune {
namespace {

using test::h200;

Problem problem_of(KeyType key, std::uint64_t n) { return {{.key = key}, {.n = n}}; }

/// A problem that is for the variant.
Problem problem_for(const Variant& variant, KeyType key, std::uint64_t n) {
  return test::problem_for(variant, h200(), key, {.n = n});
}

/// What leaves the work to other variants has their launches, and next to no parameters of its own.
bool is_of_others(const Variant& variant) { return variant.name() == "array_parts"; }

/// The variants that sort arrays of any length; others hold each in the registers of a block or a cluster.
std::vector<const Variant*> variants_of_any_length() {
  std::vector<const Variant*> found;
  for (const Variant* variant : variants()) {
    if (is_of_others(*variant)) continue;
    const Problem problem = problem_for(*variant, KeyType::u8, std::uint64_t{1} << 33);
    if (!problem.ragged && variant->supports(problem, h200())) found.push_back(variant);
  }
  return found;
}

/// Whether a register holds keys of two rows.
bool is_for_pairs(const Variant& variant) { return variant.name().starts_with("packed_"); }

/// Whether the variant is for keys of 16 bits at most: as two share a register, or each value has a counter.
bool is_for_short_keys(const Variant& variant) {
  return is_for_pairs(variant) || variant.name() == "counting";
}

/// Bytes of the widest keys that the variant sorts.
std::size_t widest_key(const Variant& variant) {
  if (is_for_short_keys(variant)) return 2;
  return variant.name() == "multiway_by_place" ? 4 : 8;  // a key and its place are a word of 64 bits
}

/// A length that binds parameters of the variant, with a k that it does (kinds_of_problems).
std::uint64_t binding_length(const Variant& variant) { return variant.name() == "lane_lists" ? 512 : 8192; }

/// Bytes of the narrowest: keys of two digits need both.
std::size_t narrowest_key(const Variant& variant) {
  return variant.name() == "leading_digits" || variant.name() == "persistent_rows" ? 4 : 1;
}

/// The number of valid configurations, or `enough` if there are more: the default one, those that differ from
/// it in one parameter, in two, and so on.
std::uint64_t count_valid(const Variant& variant, const Problem& problem, std::uint64_t enough) {
  const DeviceInfo device = h200();
  const SearchSpace space = variant.space(problem, device);
  std::uint64_t valid = 0;
  const std::function<void(const Configuration&, std::size_t, std::size_t)> change =
      [&](const Configuration& from, std::size_t first, std::size_t changes) {
        if (changes == 0 && !space.violation(from, problem, device)) ++valid;
        for (std::size_t i = first; changes > 0 && i < space.parameters.size(); ++i) {
          const Parameter& parameter = space.parameters[i];
          for (const std::int64_t value : parameter.values) {
            if (valid == enough) return;
            if (value == from.at(parameter.name)) continue;
            Configuration other = from;
            other.parameters.at(parameter.name) = value;
            change(other, i + 1, changes - 1);
          }
        }
      };
  const Configuration usual = variant.default_configuration(problem, device);
  for (std::size_t changes = 0; changes <= space.parameters.size() && valid < enough; ++changes) {
    change(usual, 0, changes);
  }
  return valid;
}

TEST(VariantSpace, HasAHundredValidConfigurationsForEachKeyWidth) {
  for (const Variant* variant : variants_of_any_length()) {
    for (const KeyType key : {KeyType::u8, KeyType::f16, KeyType::u32, KeyType::f64}) {
      const Problem problem = problem_for(*variant, key, std::uint64_t{1} << 20);
      EXPECT_EQ(count_valid(*variant, problem, 100), 100u) << variant->name();
    }
  }
}

TEST(VariantSpace, HasSomeWhereTheLengthBindsThem) {
  for (const Variant* variant : variants()) {
    if (is_of_others(*variant)) continue;
    for (const KeyType key : {KeyType::u8, KeyType::f16, KeyType::u32, KeyType::f32, KeyType::f64}) {
      const Problem problem = problem_for(*variant, key, binding_length(*variant));
      const bool fits = size_of(key) >= narrowest_key(*variant) && size_of(key) <= widest_key(*variant);
      ASSERT_EQ(variant->supports(problem, h200()), fits) << variant->name();
      if (!fits) continue;
      EXPECT_EQ(count_valid(*variant, problem, 6), 6u) << variant->name();
    }
  }
}

// A restriction that depends on a parameter which it does not name would leave configurations out when they
// are enumerated: with other values of all that it does not name it says the same.
TEST(VariantSpace, RestrictionsDependOnWhatTheyName) {
  const DeviceInfo device = h200();
  for (const Variant* variant : variants()) {
    for (const std::uint64_t n : {100, 2048}) {
      const Problem problem = problem_for(*variant, KeyType::i16, n);
      const SearchSpace space = variant->space(problem, device);
      for (std::uint64_t i = 0; i < 100; ++i) {
        const Configuration point = test::drawn_point(space, i);
        const Configuration next = test::drawn_point(space, i + 1);
        for (const Restriction& restriction : space.restrictions) {
          if (restriction.reads.empty()) continue;
          Configuration mixed = next;
          for (const std::string& name : restriction.reads) mixed.parameters.at(name) = point.at(name);
          EXPECT_EQ(restriction.holds(mixed, problem, device), restriction.holds(point, problem, device))
              << restriction.text << ": " << mixed.text() << ", " << point.text();
        }
      }
    }
  }
}

TEST(VariantSpace, EnumeratesWhatTheRestrictionsAllow) {
  const DeviceInfo device = h200();
  int spaces = 0;
  for (const Variant* variant : variants()) {
    const Problem problem = problem_for(*variant, KeyType::i16, 100);
    const SearchSpace space = variant->space(problem, device);
    if (space.cartesian_size() > 3000) continue;  // all of these look at each point
    ++spaces;
    std::vector<Configuration> valid;
    for (std::uint64_t i = 0; i < space.cartesian_size(); ++i) {
      Configuration point = space.point(i);
      if (!space.violation(point, problem, device)) valid.push_back(std::move(point));
    }
    EXPECT_EQ(space.valid(problem, device), valid) << variant->name();
  }
  EXPECT_GT(spaces, 2);
}

TEST(VariantSpace, SaysInWordsWhatExcludesAConfiguration) {
  const Problem problem = problem_of(KeyType::u64, 1 << 20);
  const Variant& shared = variant("shared");
  Configuration configuration = shared.default_configuration(problem, h200());
  configuration.parameters["tile_size"] = 32768;  // 256 KB of 64-bit keys
  const auto violation = shared.space(problem, h200()).violation(configuration, problem, h200());
  ASSERT_TRUE(violation.has_value());
  EXPECT_NE(violation->find("shared memory"), std::string::npos) << *violation;
}

TEST(VariantSpace, UsesMoreThan48KilobytesWhereTheDeviceAllowsIt) {
  const Problem problem = problem_of(KeyType::u32, 1 << 20);
  const Variant& shared = variant("shared");
  Configuration configuration = shared.default_configuration(problem, h200());
  configuration.parameters["tile_size"] = 32768;
  EXPECT_FALSE(shared.space(problem, h200()).violation(configuration, problem, h200()).has_value());
  EXPECT_GE(shared.plan(problem, configuration, h200()).launches.front().shared_bytes, 131072u);

  DeviceInfo small = h200();
  small.shared_bytes_per_block_optin = 49152;
  EXPECT_TRUE(shared.space(problem, small).violation(configuration, problem, small).has_value());
}

TEST(VariantPlan, IsEmptyWhereThereIsNothingToSort) {
  for (const Variant* variant : test::sorting_variants(h200())) {
    for (const std::uint64_t n : {0, 1}) {
      const Problem problem = problem_of(KeyType::f32, n);
      const Plan plan = variant->plan(problem, variant->default_configuration(problem, h200()), h200());
      EXPECT_TRUE(plan.launches.empty()) << variant->name();
      EXPECT_EQ(plan.workspace_bytes, 0u);
    }
  }
}

TEST(VariantPlan, NaiveFormLaunchesOnceAStep) {
  const Problem problem = problem_of(KeyType::u32, 1 << 10);
  const Configuration naive = Configuration::parse(
      "global(block_fusion=0,block_size_x=256,blocks_per_sm=0,loop_unroll_factor_pairs=1,steps_per_pass=1,"
      "thread_per_element=1,vector_width=1)");
  const Plan plan = variant("global").plan(problem, naive, h200());
  EXPECT_EQ(plan.launches.size(), 55u);  // 10 * 11 / 2
  for (const Launch& launch : plan.launches) {
    EXPECT_EQ(launch.grid[0], 4u);
    EXPECT_EQ(launch.block[0], 256u);
  }
}

TEST(VariantPlan, FewerPassesWithMoreStepsAPass) {
  const Problem problem = problem_of(KeyType::u32, std::uint64_t{1} << 24);
  Configuration configuration = variant("warp").default_configuration(problem, h200());
  std::size_t previous = SIZE_MAX;
  for (const int steps : {1, 2, 3, 4, 5}) {
    configuration.parameters["steps_per_pass"] = steps;
    const std::size_t launches = variant("warp").plan(problem, configuration, h200()).launches.size();
    EXPECT_LT(launches, previous);
    previous = launches;
  }
}

TEST(VariantPlan, KernelsDoNotDependOnTheLength) {
  for (const Variant* variant : variants_of_any_length()) {
    const Problem small = problem_of(KeyType::i32, std::uint64_t{1} << 20);
    Problem large = small;
    large.n = (std::uint64_t{1} << 20) + 1;
    const Configuration configuration = variant->default_configuration(large, h200());
    const Plan of_small = variant->plan(small, configuration, h200());
    const Plan of_large = variant->plan(large, configuration, h200());
    const std::set<KernelSource> kernels(of_large.kernels.begin(), of_large.kernels.end());
    for (const KernelSource& kernel : of_small.kernels)
      EXPECT_TRUE(kernels.count(kernel)) << kernel.name_expression;
  }
}

TEST(VariantPlan, CountsPastFourBillionKeys) {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
  for (const Variant* variant : variants_of_any_length()) {
    const Problem problem = problem_of(KeyType::u32, n);
    const Plan plan = variant->plan(problem, variant->default_configuration(problem, h200()), h200());
    ASSERT_FALSE(plan.launches.empty());
    for (const Launch& launch : plan.launches) {
      const auto is_of_keys = [](const Argument& a) {
        return a.kind == Argument::Kind::pointer && (a.role == Role::keys_out || a.role == Role::keys_in);
      };
      if (std::none_of(launch.arguments.begin(), launch.arguments.end(), is_of_keys)) continue;
      EXPECT_NE(std::find(launch.arguments.begin(), launch.arguments.end(), Argument::number64(n)),
                launch.arguments.end())
          << plan.kernels[launch.kernel].name_expression;
    }
  }
}

TEST(StridedPasses, CoverEachIndexBitOnceInOrder) {
  for (int steps_per_pass = 1; steps_per_pass <= 5; ++steps_per_pass) {
    PlanBuilder builder;
    StridedPass pass;
    pass.codec = "C";
    pass.steps_per_pass = steps_per_pass;
    append_strided_passes(builder, pass, 1 << 20, 20, 12, true);
    const Plan plan = builder.take();
    EXPECT_EQ(plan.launches.size(), static_cast<std::size_t>((8 + steps_per_pass - 1) / steps_per_pass));
    std::uint64_t high = 20;
    for (const Launch& launch : plan.launches) {
      const std::uint64_t low = launch.arguments.at(2).value;
      EXPECT_LT(low, high);
      EXPECT_LE(high - low, static_cast<std::uint64_t>(steps_per_pass));
      EXPECT_EQ(launch.arguments.at(3).value, std::uint64_t{1} << (20 - (high - low)));
      high = low;
    }
    EXPECT_EQ(high, 12u);
  }
}

TEST(VariantPlan, HasBlocksForEveryRow) {
  for (const Variant* variant : variants()) {
    Problem one = problem_of(KeyType::f16, 1000);
    Problem many = one;
    many.rows = 777;
    if (!variant->supports(many, h200())) continue;
    const Configuration configuration = variant->default_configuration(many, h200());
    const Plan of_one = variant->plan(one, configuration, h200());
    const Plan of_many = variant->plan(many, configuration, h200());
    ASSERT_EQ(of_one.launches.size(), of_many.launches.size()) << variant->name();
    EXPECT_EQ(of_one.kernels, of_many.kernels);
    for (std::size_t i = 0; i < of_one.launches.size(); ++i) {
      const std::uint64_t rows_a_group = is_for_pairs(*variant) ? 2 : 1;
      std::uint64_t blocks = of_one.launches[i].grid[0] * ((777 + rows_a_group - 1) / rows_a_group);
      if (configuration.parameters.contains("threads_per_row")) {
        const std::uint64_t rows_a_block =
            rows_a_group * 128u / static_cast<std::uint64_t>(configuration.at("threads_per_row"));
        blocks = (777 + rows_a_block - 1) / rows_a_block;
      }
      EXPECT_EQ(of_many.launches[i].grid[0], blocks) << variant->name();
      const auto& arguments = of_many.launches[i].arguments;
      EXPECT_EQ(std::count_if(arguments.begin(), arguments.end(),
                              [](const Argument& a) { return a.kind == Argument::Kind::stride; }),
                1)
          << variant->name();
    }
  }
}

TEST(VariantPlan, OfNoRowsOrTooManyBlocks) {
  const Variant& rows = variant("rows");
  Problem problem = problem_of(KeyType::u32, 1000);
  problem.rows = 0;
  EXPECT_TRUE(rows.plan(problem, rows.default_configuration(problem, h200()), h200()).launches.empty());
  problem.rows = std::uint64_t{1} << 40;  // more blocks than a grid has
  for (const Variant* variant : variants()) {
    if (!variant->supports(problem, h200())) continue;
    EXPECT_THROW((void)variant->plan(problem, variant->default_configuration(problem, h200()), h200()), Error)
        << variant->name();
  }
}

TEST(VariantPlan, SaysWhetherItSupportsNoRowsOfAnyLength) {
  int supported = 0;
  for (const std::uint64_t n : {1000u, 10000u, 1u << 20, 1u << 30}) {
    Problem problem = problem_of(KeyType::u32, n);
    problem.rows = 0;
    for (const Variant* variant : variants()) {
      if (!variant->supports(problem, h200())) continue;
      ++supported;
      EXPECT_NO_THROW((void)variant->plan(problem, variant->default_configuration(problem, h200()), h200()))
          << variant->name();
    }
  }
  EXPECT_GT(supported, 0);
}

TEST(RowsVariant, HoldsARowInRegistersAndWritesElsewhereIfAsked) {
  const Variant& rows = variant("rows");
  for (const std::uint64_t n : {2u, 33u, 1000u, 1025u, 32768u}) {
    const Problem problem = problem_of(KeyType::u32, n);
    ASSERT_TRUE(rows.supports(problem, h200()));
    const Configuration configuration = rows.default_configuration(problem, h200());
    const std::int64_t capacity = configuration.at("threads_per_row") * configuration.at("items_per_thread");
    EXPECT_GE(capacity, static_cast<std::int64_t>(n));
    const Plan plan = rows.plan(problem, configuration, h200());
    EXPECT_EQ(plan.launches.size(), 1u);
    EXPECT_TRUE(plan.out_of_place);
  }
  EXPECT_FALSE(rows.supports(problem_of(KeyType::u32, 32769), h200()));
  DeviceInfo wide = h200();
  wide.warp_size = 64;
  EXPECT_FALSE(rows.supports(problem_of(KeyType::u32, 100), wide));
}

TEST(SamplesortVariant, SortsSingleArraysUpToWhatItsBucketsHold) {
  const Variant& samplesort = variant("samplesort");
  Problem problem = problem_of(KeyType::u32, std::uint64_t{1} << 24);
  ASSERT_TRUE(samplesort.supports(problem, h200()));
  const Plan plan = samplesort.plan(problem, samplesort.default_configuration(problem, h200()), h200());
  ASSERT_EQ(plan.launches.size(), 3u);
  EXPECT_EQ(plan.launches.front().cluster, 8u) << "the sample is sorted by a cluster";
  EXPECT_GE(plan.workspace_bytes, 3 * problem.n * 4) << "buckets have twice the room, and any key may spill";
  DeviceInfo without_clusters = h200();
  without_clusters.max_cluster_size = 1;
  without_clusters.compute_major = 8;
  const Configuration older = samplesort.default_configuration(problem, without_clusters);
  EXPECT_EQ(samplesort.plan(problem, older, without_clusters).launches.front().cluster, 1u);
  problem.rows = 2;
  EXPECT_FALSE(samplesort.supports(problem, h200()));
  problem.rows = 1;
  problem.n = std::uint64_t{1} << 30;
  EXPECT_FALSE(samplesort.supports(problem, h200())) << "more than 4096 buckets";
}

TEST(VariantRegistry, NamesTheVariantsThereAre) {
  try {
    (void)variant("quick");
    FAIL() << "an unknown variant was found";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("warp, multiway, samplesort, radix, radix_pairs, cluster, packed_clusters, rows, "
                        "packed_rows"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace bitune
