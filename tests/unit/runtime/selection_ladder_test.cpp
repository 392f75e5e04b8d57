#include "runtime/selection_ladder.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bitune/error.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t one = 1;

const fake::Variant simple("simple");
const fake::Variant fancy("fancy");
const std::array<const Variant*, 2> both = {&simple, &fancy};

DeviceInfo gpu(int major = 9, int minor = 0, int sms = 132) {
  DeviceInfo info;
  info.name = "GPU";
  info.compute_major = major;
  info.compute_minor = minor;
  info.sm_count = sms;
  return info;
}

DeviceInfo emulated() {
  DeviceInfo info = gpu();
  info.kind = "emulated";
  return info;
}

/// A trial of "simple(tile=...)", so that the tile tells which candidate was selected.
Candidate trial(int tile, const DeviceInfo& device, const Problem& problem, double median_us = 10) {
  Candidate candidate;
  candidate.trial_id = tile;
  candidate.device = device;
  candidate.device_digest = device.digest();
  candidate.problem = problem;
  candidate.configuration = {"simple", {{"tile", tile}}};
  candidate.kernel_digest = "today";
  candidate.median_us = median_us;
  return candidate;
}

Problem u32(std::uint64_t n, std::uint64_t rows = 1) { return {.key = KeyType::u32, .n = n, .rows = rows}; }

struct Case {
  std::string name;
  Problem problem;
  DeviceInfo device;
  CandidateSet candidates;
  MatchKind match;
  int tile;  ///< of the selected configuration; the default's is 1
};

Problem with_key(Problem problem, KeyType key) {
  problem.key = key;
  return problem;
}
Problem with_order(Problem problem, Order order) {
  problem.order = order;
  return problem;
}
Candidate of_variant(Candidate candidate, const std::string& variant) {
  candidate.configuration.variant = variant;
  return candidate;
}
Candidate of_kernels(Candidate candidate, const std::string& digest) {
  candidate.kernel_digest = digest;
  return candidate;
}

std::vector<Case> rungs() {
  const DeviceInfo here = gpu();
  const Problem problem = u32(1 << 20);
  return {
      {"nothing known", problem, here, {}, MatchKind::defaulted, 1},
      {"exact", problem, here, {{trial(2, here, problem)}, {}}, MatchKind::exact, 2},
      {"exact before nearer medians of other sizes",
       problem,
       here,
       {{trial(2, here, u32((1 << 20) - 1), 1), trial(4, here, problem, 50)}, {}},
       MatchKind::exact,
       4},
      {"size before device",
       problem,
       here,
       {{trial(2, here, u32(16)), trial(4, gpu(9, 0, 114), problem)}, {}},
       MatchKind::near_size,
       2},
      {"device of the same capability before a lower one",
       problem,
       here,
       {{trial(2, gpu(9, 0, 16), problem)}, {trial(4, here, problem)}},
       MatchKind::near_device,
       2},
      {"same capability before lower minor of the same SM count",
       problem,
       gpu(8, 6, 84),
       {{trial(2, gpu(8, 0, 84), problem), trial(4, gpu(8, 6, 28), problem)}, {}},
       MatchKind::near_device,
       4},
      {"lower minor before shipped exact",
       problem,
       gpu(8, 6, 84),
       {{trial(2, gpu(8, 0, 108), problem)}, {trial(4, gpu(8, 6, 84), problem)}},
       MatchKind::near_device,
       2},
      {"shipped exact",
       problem,
       here,
       {{}, {trial(2, here, problem), trial(4, here, u32(1 << 19))}},
       MatchKind::shipped,
       2},
      {"shipped near size",
       problem,
       here,
       {{}, {trial(2, gpu(9, 0, 114), problem), trial(4, here, u32(1 << 10))}},
       MatchKind::shipped,
       4},
      {"shipped near device",
       problem,
       here,
       {{}, {trial(4, gpu(9, 0, 114), problem)}},
       MatchKind::shipped,
       4},
      {"shipped lower minor",
       problem,
       gpu(8, 9, 100),
       {{}, {trial(4, gpu(8, 6, 84), problem)}},
       MatchKind::shipped,
       4},
      {"higher minor is of no use",
       problem,
       gpu(8, 0, 108),
       {{trial(2, gpu(8, 6, 84), problem)}, {trial(2, gpu(8, 9, 84), problem)}},
       MatchKind::defaulted,
       1},
      {"another major is of no use",
       problem,
       here,
       {{trial(2, gpu(8, 0, 108), problem)}, {trial(2, gpu(10, 0, 148), problem)}},
       MatchKind::defaulted,
       1},
  };
}

std::vector<Case> ties() {
  const DeviceInfo here = gpu();
  return {
      {"log2 ratio, not difference",
       u32(3000),
       here,
       {{trial(2, here, u32(1024)), trial(4, here, u32(8192))}, {}},
       MatchKind::near_size,
       4},
      {"sizes above 2^32 do not wrap",
       u32((one << 33) + 1),
       here,
       {{trial(2, here, u32(2)), trial(4, here, u32(one << 32))}, {}},
       MatchKind::near_size,
       4},
      {"the largest sizes",
       u32(one << 62),
       here,
       {{trial(2, here, u32(one << 30)), trial(4, here, u32(one << 61))}, {}},
       MatchKind::near_size,
       4},
      {"larger of two equally near sizes",
       u32(2048),
       here,
       {{trial(2, here, u32(1024)), trial(4, here, u32(4096))}, {}},
       MatchKind::near_size,
       4},
      {"nearer size before same key type",
       u32(4096),
       here,
       {{trial(2, here, u32(64)), trial(4, here, with_key(u32(4096), KeyType::f32))}, {}},
       MatchKind::near_size,
       4},
      {"same key type at the same size",
       u32(2048),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::f32), 1), trial(4, here, u32(4096), 9)}, {}},
       MatchKind::near_size,
       4},
      {"same order at the same size",
       u32(2048),
       here,
       {{trial(2, here, with_order(u32(4096), Order::descending), 1), trial(4, here, u32(4096), 9)}, {}},
       MatchKind::near_size,
       4},
      {"same key type before same order",
       u32(2048),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::i32), 1),
         trial(4, here, with_order(u32(4096), Order::descending), 9)},
        {}},
       MatchKind::near_size,
       4},
      {"lower median of the same problem",
       u32(4096),
       here,
       {{trial(2, here, u32(4096), 9), trial(4, here, u32(4096), 8)}, {}},
       MatchKind::exact,
       4},
      {"today's kernels before a lower median of older ones",
       u32(4096),
       here,
       {{of_kernels(trial(2, here, u32(4096), 5), "yesterday"), trial(4, here, u32(4096), 8)}, {}},
       MatchKind::exact,
       4},
      {"first trial of equal ones",
       u32(4096),
       here,
       {{trial(4, here, u32(4096), 8), trial(2, here, u32(4096), 8)}, {}},
       MatchKind::exact,
       2},
      {"nearest SM count",
       u32(4096),
       here,
       {{trial(2, gpu(9, 0, 16), u32(4096)), trial(4, gpu(9, 0, 144), u32(64)),
         trial(8, gpu(9, 0, 80), u32(4096))},
        {}},
       MatchKind::near_device,
       4},
      {"nearest lower minor",
       u32(4096),
       gpu(8, 9, 100),
       {{trial(2, gpu(8, 0, 100), u32(4096)), trial(4, gpu(8, 6, 20), u32(64)),
         trial(8, gpu(8, 7, 20), u32(64))},
        {}},
       MatchKind::near_device,
       8},
  };
}

std::vector<Case> exclusions() {
  const DeviceInfo here = gpu();
  Problem pairs = u32(4096);
  pairs.value = ValueType::u32;
  Problem argsort = u32(4096);
  argsort.operation = Operation::argsort;
  return {
      {"a restriction on the problem",
       u32(8),
       here,
       {{trial(64, here, u32(4096))}, {}},
       MatchKind::defaulted,
       1},
      {"the next candidate that fits",
       u32(8),
       here,
       {{trial(64, here, u32(9)), trial(4, here, u32(4096))}, {}},
       MatchKind::near_size,
       4},
      {"a restriction on the device",
       u32(4096),
       gpu(9, 0, 20),
       {{trial(32, gpu(9, 0, 132), u32(4096))}, {}},
       MatchKind::defaulted,
       1},
      {"a value that the space has no more",
       u32(4096),
       here,
       {{trial(3, here, u32(4096))}, {}},
       MatchKind::defaulted,
       1},
      {"an unknown variant",
       u32(4096),
       here,
       {{of_variant(trial(2, here, u32(4096)), "from the future"), trial(4, here, u32(64))}, {}},
       MatchKind::near_size,
       4},
      {"another width",
       u32(4096),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::u64))}, {}},
       MatchKind::defaulted,
       1},
      {"a payload", u32(4096), here, {{trial(2, here, pairs)}, {}}, MatchKind::defaulted, 1},
      {"another operation", u32(4096), here, {{trial(2, here, argsort)}, {}}, MatchKind::defaulted, 1},
      {"emulated trials for a GPU",
       u32(4096),
       here,
       {{trial(2, emulated(), u32(4096))}, {trial(2, emulated(), u32(4096))}},
       MatchKind::defaulted,
       1},
      {"a GPU's trials for the emulated device",
       u32(4096),
       emulated(),
       {{trial(2, here, u32(4096))}, {trial(2, here, u32(4096))}},
       MatchKind::defaulted,
       1},
      {"rows for a single array",
       u32(4096),
       here,
       {{trial(2, here, u32(4096, 8))}, {}},
       MatchKind::defaulted,
       1},
      {"a single array for rows",
       u32(4096, 8),
       here,
       {{trial(2, here, u32(4096))}, {}},
       MatchKind::defaulted,
       1},
      {"nearest length before nearest rows",
       u32(4096, 8),
       here,
       {{trial(2, here, u32(64, 8)), trial(4, here, u32(4096, 5000))}, {}},
       MatchKind::near_size,
       4},
      {"nearest rows at the same length",
       u32(4096, 8),
       here,
       {{trial(2, here, u32(4096, 2)), trial(4, here, u32(4096, 16))}, {}},
       MatchKind::near_size,
       4},
  };
}

class SelectionLadder : public testing::TestWithParam<Case> {};

TEST_P(SelectionLadder, TakesTheRightCandidate) {
  const Case& c = GetParam();
  const Selection selection = select_among(c.problem, c.device, c.candidates, both, "today");
  EXPECT_EQ(name_of(selection.match), name_of(c.match)) << selection.reason;
  EXPECT_EQ(selection.configuration.at("tile"), c.tile) << selection.reason;
  EXPECT_EQ(selection.evidence.has_value(), c.match != MatchKind::defaulted);
  EXPECT_FALSE(selection.reason.empty());
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rungs, SelectionLadder, testing::ValuesIn(rungs()), case_name);
INSTANTIATE_TEST_SUITE_P(Ties, SelectionLadder, testing::ValuesIn(ties()), case_name);
INSTANTIATE_TEST_SUITE_P(Exclusions, SelectionLadder, testing::ValuesIn(exclusions()), case_name);

TEST(Selection, ExpectsATimeOnlyOfExactEvidenceOfTodaysKernels) {
  const DeviceInfo here = gpu();
  const Problem problem = u32(4096);
  const auto expected = [&](const CandidateSet& set) {
    return select_among(problem, here, set, both, "today").expected_us;
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
    return select_among(problem, here, set, both, "today").reason;
  };
  EXPECT_EQ(reason({{trial(2, here, problem)}, {}}), "tuned on this device for this problem");
  EXPECT_EQ(reason({{of_kernels(trial(2, here, problem), "old")}, {}}),
            "tuned on this device for this problem, with another version of the kernels");
  EXPECT_EQ(reason({{trial(2, here, with_key(u32(1 << 20), KeyType::f32))}, {}}),
            "tuned on this device for n=2^20 of f32, the nearest size");
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

}  // namespace
}  // namespace bitune
