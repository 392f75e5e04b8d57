#include <gtest/gtest.h>

#include "bitune/error.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/runtime/selection_support.hpp"

namespace bitune {
namespace {

using namespace selecting;

TEST(Selection, ExpectsATimeOnlyOfExactEvidenceOfTodaysKernels) {
  const DeviceInfo here = gpu();
  const Problem problem = u32(4096);
  const auto expected = [&](const CandidateSet& set) {
    return select_among(problem, here, set, both, today).expected_us;
  };
  EXPECT_EQ(expected({{trial(2, here, problem, 12.5)}, {}}), 12.5);
  EXPECT_EQ(expected({{}, {trial(2, here, problem, 12.5)}}), 12.5)
      << "shipped for this very device and problem";
  EXPECT_EQ(expected({{of_kernels(trial(2, here, problem), "yesterday")}, {}}), std::nullopt);
  EXPECT_EQ(expected({{trial(2, here, u32(8192))}, {}}), std::nullopt);
  EXPECT_EQ(expected({{trial(2, gpu(9, 0, 114), problem)}, {}}), std::nullopt);
  EXPECT_EQ(expected({}), std::nullopt);
}

TEST(Selection, GivesItsReasons) {
  const DeviceInfo here = gpu();
  const Problem problem = u32(4096);
  const auto reason = [&](const CandidateSet& set) {
    return select_among(problem, here, set, both, today).reason;
  };
  EXPECT_EQ(reason({{trial(2, here, problem)}, {}}), "tuned on this device for this problem");
  EXPECT_EQ(reason({{of_kernels(trial(2, here, problem), "old")}, {}}),
            "tuned on this device for this problem, with another version of the kernels");
  EXPECT_EQ(reason({{trial(2, here, with_key(u32(1 << 13), KeyType::f32))}, {}}),
            "tuned on this device for n=2^13 of f32, the nearest size");
  EXPECT_EQ(
      reason({{}, {trial(2, gpu(9, 0, 114), problem)}}),
      "shipped with bitune: tuned on GPU (114 SMs) for n=2^12, a device of the same compute capability 9.0");
  EXPECT_EQ(reason({}), "no tuning fits: the default of variant 'fancy' from the device's limits");
}

TEST(Selection, DefaultIsTheLastVariantThatCanSortTheProblem) {
  const Selection selection = default_among(u32(4096), gpu(), both);
  EXPECT_EQ(selection.configuration.text(), "fancy(tile=1)");
  EXPECT_EQ(selection.match, MatchKind::defaulted);
}

TEST(Selection, RefusesWhatNoVariantCanDo) {
  Problem problem = u32(4096);
  problem.operation = Operation::argsort;
  try {
    static_cast<void>(default_among(problem, gpu(), both));
    FAIL() << "no variant can do this";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("argsort u32 ascending n=4096"), std::string::npos)
        << error.what();
  }
}

TEST(Selection, WorksWithTheRegistry) {
  for (const std::uint64_t n : {std::uint64_t{2}, std::uint64_t{1000}, one << 20, one << 32}) {
    const Selection selection = select(u32(n), gpu(), {});
    EXPECT_EQ(selection.match, MatchKind::defaulted);
    const Variant& selected = variant(selection.configuration.variant);
    EXPECT_EQ(selected.space(u32(n), gpu()).violation(selection.configuration, u32(n), gpu()), std::nullopt);
  }
}

TEST(Selection, AnUntunedGpuTakesTheVariantThatSuits) {
  const auto chosen = [](const Problem& problem, const DeviceInfo& device) {
    return default_selection(problem, device).configuration.variant;
  };
  const DeviceInfo hopper = test::h200();
  EXPECT_EQ(chosen(u32(1000), hopper), "warp") << "one block, and launches that overlap";
  EXPECT_EQ(chosen(u32(2000), hopper), "cluster");
  EXPECT_EQ(chosen(u32(10000), hopper), "cluster") << "one launch of several blocks";
  EXPECT_EQ(chosen(u32(1 << 20), hopper), "multiway");
  EXPECT_EQ(chosen(u32(10000, 4096), hopper), "rows") << "enough rows for all multiprocessors";
  EXPECT_EQ(chosen(with_key(u32(1024, 4096), KeyType::f16), hopper), "packed_rows");
  EXPECT_EQ(chosen(with_key(u32(65536, 1024), KeyType::f16), hopper), "packed_clusters");
  EXPECT_EQ(chosen(with_key(u32(65536, 10), KeyType::f16), hopper), "cluster")
      << "too few pairs for all multiprocessors";
  EXPECT_EQ(chosen(with_key(u32(1 << 22), KeyType::f64), hopper), "samplesort");
  EXPECT_EQ(chosen(u32(1 << 22), hopper), "radix");
  EXPECT_EQ(chosen(with_key(u32(1 << 23), KeyType::f64), hopper), "leading_digits") << "half the passes";
  EXPECT_EQ(chosen(u32(std::uint64_t{1} << 33), hopper), "radix") << "whatever the length";

  DeviceInfo ampere = hopper;
  ampere.compute_major = 8;
  ampere.max_cluster_size = 0;
  EXPECT_EQ(chosen(u32(1 << 20), ampere), "multiway");
  EXPECT_NE(chosen(u32(10000), ampere), "cluster");
  EXPECT_EQ(chosen(u32(1000), ampere), "rows") << "one block";
}

}  // namespace
}  // namespace bitune
