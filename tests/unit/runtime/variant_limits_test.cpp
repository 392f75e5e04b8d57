// Where the arithmetic of plans ends: what a kernel cannot count, or would spill, no search space allows.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/cluster/cluster_layout.hpp"
#include "kernels/counting/counting_layout.hpp"
#include "kernels/multiway/multiway_layout.hpp"
#include "kernels/radix/radix_layout.hpp"
#include "kernels/samplesort/samplesort_layout.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/variant_problems.hpp"

namespace bitune {
namespace {

using test::h200;

Problem array_of(KeyType key, std::uint64_t n) {
  Problem problem;
  problem.key = key;
  problem.n = n;
  return problem;
}

std::string violation_of(const Configuration& configuration, const Problem& problem,
                         const DeviceInfo& device) {
  return variant(configuration.variant)
      .space(problem, device)
      .violation(configuration, problem, device)
      .value_or("");
}

Configuration with(Configuration configuration,
                   std::initializer_list<std::pair<const char*, std::int64_t>> changes) {
  for (const auto& [name, value] : changes) configuration.parameters.at(name) = value;
  return configuration;
}

// 13 million tiles with 256 counters of 8 bytes each are 6.9e9 words, which a launch cannot clear.
TEST(VariantLimits, RadixCountsNoMoreThanOneLaunchClears) {
  const Problem problem = array_of(KeyType::u16, std::uint64_t{1} << 34);
  const Variant& radix = variant("radix");
  const Configuration fits = radix.default_configuration(problem, h200());
  EXPECT_EQ(violation_of(fits, problem, h200()), "");
  const Configuration too_many = with(fits, {{"items_per_thread", 5}});
  EXPECT_NE(violation_of(too_many, problem, h200()).find("fewer than 2^32"), std::string::npos);
  EXPECT_EQ(violation_of(too_many, array_of(KeyType::u16, std::uint64_t{1} << 32), h200()), "");
}

// A number that does not fit its parameter would be refused when the plan is made.
TEST(VariantLimits, EveryValidConfigurationOfManyKeysHasAPlan) {
  for (const Variant* variant : variants()) {
    for (const std::uint64_t n : {std::uint64_t{1} << 27, std::uint64_t{1} << 31, std::uint64_t{1} << 33}) {
      for (const KeyType key : {KeyType::i8, KeyType::u16, KeyType::f64}) {
        const Problem problem = test::problem_for(*variant, h200(), key, {.n = n});
        if (!variant->supports(problem, h200())) continue;
        const SearchSpace space = variant->space(problem, h200());
        for (std::uint64_t i = 0; i < 120; ++i) {
          const Configuration point = test::drawn_point(space, i);
          if (space.violation(point, problem, h200())) continue;
          EXPECT_NO_THROW((void)variant->plan(problem, point, h200())) << point.text() << " for " << n;
        }
      }
    }
  }
}

TEST(VariantLimits, SplittingThatSpillsIsLeftOut) {
  const Problem problem = array_of(KeyType::u32, std::uint64_t{1} << 24);
  DeviceInfo blackwell = h200();
  blackwell.compute_major = 10;
  const Configuration narrow = with(variant("multiway").default_configuration(problem, h200()),
                                    {{"split_levels", 1}, {"split_window", 0}, {"split_threads", 128}});
  EXPECT_EQ(violation_of(narrow, problem, h200()), "");
  EXPECT_EQ(violation_of(narrow, problem, blackwell), "");
  const Configuration wide = with(narrow, {{"split_threads", 256}});
  EXPECT_NE(violation_of(wide, problem, h200()).find("spilling"), std::string::npos);
  EXPECT_EQ(violation_of(with(wide, {{"split_pivots", 7}}), problem, h200()), "");
}

// What multiway would take if nobody had tuned is never left out.
TEST(VariantLimits, DefaultsAreValidWithManyRuns) {
  for (const KeyType key : {KeyType::u8, KeyType::f32, KeyType::u64}) {
    for (int bits = 8; bits <= 26; ++bits) {
      for (const int major : {8, 9, 12}) {
        DeviceInfo device = h200();
        device.compute_major = major;
        const Problem problem = array_of(key, std::uint64_t{1} << bits);
        const Variant& multiway = variant("multiway");
        if (!multiway.supports(problem, device)) continue;
        const Configuration configuration = multiway.default_configuration(problem, device);
        EXPECT_EQ(violation_of(configuration, problem, device), "") << text_of(problem) << ", " << major;
      }
    }
  }
}

// Computed by hand from what the kernels' headers say of their memory.
TEST(Layouts, AreWhatKernelsKeepInSharedMemory) {
  EXPECT_EQ(layout::padded_bytes(1024, 4), 1024 * 4 + 32 * 4);
  EXPECT_EQ(layout::padded_bytes(1024, 8), 1024 * 8 + 64 * 8);
  EXPECT_EQ(layout::radix_tile_parts(256, 31, 8, 4, 4).bytes,
            256 * 31 * 4 + 256 * 4 + 8 * 256 * 2 + (2 * 8 + 1) * 4);
  EXPECT_EQ(layout::digit_passes(16, 11), 2);
  EXPECT_EQ(layout::digit_counter_bytes((1u << 30) - 1), 4);
  EXPECT_EQ(layout::digit_counter_bytes(1u << 30), 8);
  EXPECT_EQ(layout::count_values_words(16, 0), 256);
  EXPECT_EQ(layout::count_values_words(16, 4), 16384);
  EXPECT_EQ(layout::write_counted_words(8, 256), 2 * 8 + 1 + 256 + 1);
  EXPECT_EQ(layout::partition_parts(512, 8, 10, 4, 4).bytes, 128 + 1024 * (4 + 8) + 4096 * (4 + 2));
  EXPECT_EQ(layout::sending_cluster_bytes(64, 8, 8, 4), 528 * 4 + 4 * 512 * 4 + 6 * 8);
  EXPECT_EQ(layout::sending_cluster_bytes(64, 8, 16, 4), 528 * 4 + (5 * 512 + 256) * 4 + 9 * 8);
  // Two groups of 128 threads, three pivots: two extremes a warp, 256 keys, and for each group two numbers a
  // key and sums of ten numbers a warp twice, in whole vectors; four places a run.
  EXPECT_EQ(layout::splitter_words(256, 2, 3, 0, 10, 4, 4), 16 + 256 + 2 * (256 + 80) + 2 * 4 * 10);
  EXPECT_EQ(layout::splitter_words(256, 2, 3, 64, 10, 4, 2) - layout::splitter_words(256, 2, 3, 0, 10, 4, 2),
            4 + 2 * 10 * (1 + (64 + 8) / 2));
}

}  // namespace
}  // namespace bitune
