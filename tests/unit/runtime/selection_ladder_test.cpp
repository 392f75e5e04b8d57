#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "tests/unit/runtime/selection_support.hpp"

namespace bitune {
namespace ladder_test {
namespace {

using namespace selecting;

struct Case {
  std::string name;
  Problem problem;
  DeviceInfo device;
  CandidateSet candidates;
  MatchKind match;
  int tile;  ///< of the selected configuration; the default's is 1
};

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
      {"exact that a longer array took less time than",
       problem,
       here,
       {{trial(2, here, problem, 50), trial(4, here, u32(1 << 21), 30)}, {}},
       MatchKind::near_size,
       4},
      {"exact that a longer array took hardly less time than",
       problem,
       here,
       {{trial(2, here, problem, 50), trial(4, here, u32(1 << 21), 40)}, {}},
       MatchKind::exact,
       2},
      {"size before device",
       problem,
       here,
       {{trial(2, here, u32(16)), trial(4, gpu(9, 0, 114), problem)}, {}},
       MatchKind::near_size,
       2},
      {"the user's other device before a nearer shipped one",
       problem,
       here,
       {{trial(2, gpu(9, 0, 16), problem)}, {trial(4, gpu(9, 0, 133), problem)}},
       MatchKind::near_device,
       2},
      {"same capability before lower minor of the same SM count",
       problem,
       gpu(8, 6, 84),
       {{trial(2, gpu(8, 0, 84), problem), trial(4, gpu(8, 6, 28), problem)}, {}},
       MatchKind::near_device,
       4},
      {"shipped for this device before the user's other device",
       problem,
       gpu(8, 6, 84),
       {{trial(2, gpu(8, 0, 108), problem)}, {trial(4, gpu(8, 6, 84), u32(64))}},
       MatchKind::shipped,
       4},
      {"user's lower minor before a shipped other device of the same capability",
       problem,
       gpu(8, 6, 84),
       {{trial(2, gpu(8, 0, 108), problem)}, {trial(4, gpu(8, 6, 28), problem)}},
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
  Candidate finalist = trial(4, here, u32(4096), 11);
  finalist.finalist = true;
  return {
      {"a finalist before a lower median",
       u32(4096),
       here,
       {{trial(2, here, u32(4096), 10), finalist}, {}},
       MatchKind::exact,
       4},
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
       {{trial(2, here, with_key(u32(4096), KeyType::f32), 8), trial(4, here, u32(4096), 9)}, {}},
       MatchKind::near_size,
       4},
      {"same order at the same size",
       u32(2048),
       here,
       {{trial(2, here, with_order(u32(4096), Order::descending), 8), trial(4, here, u32(4096), 9)}, {}},
       MatchKind::near_size,
       4},
      {"same key type before same order",
       u32(2048),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::i32), 8),
         trial(4, here, with_order(u32(4096), Order::descending), 9)},
        {}},
       MatchKind::near_size,
       4},
      {"another key type of the width that is far ahead",
       u32(4096),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::f32), 4), trial(4, here, u32(4096), 9)}, {}},
       MatchKind::near_size,
       2},
      {"another key type of the width that is further ahead than types differ",
       u32(4096),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::f32), 7), trial(4, here, u32(4096), 10)}, {}},
       MatchKind::near_size,
       2},
      {"this key type where another one is ahead by less",
       u32(4096),
       here,
       {{trial(2, here, with_key(u32(4096), KeyType::f32), 8), trial(4, here, u32(4096), 10)}, {}},
       MatchKind::exact,
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

std::vector<Case> shipped_and_own() {
  const DeviceInfo here = gpu();
  const Problem problem = u32(1 << 20);
  return {
      {"shipped exact before the user's other size",
       problem,
       here,
       {{trial(2, here, u32(1 << 19), 1)}, {trial(4, here, problem, 9)}},
       MatchKind::shipped,
       4},
      {"shipped nearer size before the user's",
       problem,
       here,
       {{trial(2, here, u32(1 << 10))}, {trial(4, here, u32(1 << 18))}},
       MatchKind::shipped,
       4},
      {"user's nearer size before the shipped one",
       problem,
       here,
       {{trial(2, here, u32(1 << 18))}, {trial(4, here, u32(1 << 10))}},
       MatchKind::near_size,
       2},
      {"user's exact before the shipped exact",
       problem,
       here,
       {{trial(2, here, problem, 9)}, {trial(4, here, problem, 1)}},
       MatchKind::exact,
       2},
      {"user's size before a shipped one as near",
       problem,
       here,
       {{trial(2, here, u32(1 << 19))}, {trial(4, here, u32(1 << 21))}},
       MatchKind::near_size,
       2},
      {"user's other key type of this size before the shipped exact",
       problem,
       here,
       {{trial(2, here, with_key(problem, KeyType::f32))}, {trial(4, here, problem)}},
       MatchKind::near_size,
       2},
      {"shipped nearer rows before the user's",
       u32(1000, 100),
       here,
       {{trial(2, here, u32(1000, 5))}, {trial(4, here, u32(1000, 90))}},
       MatchKind::shipped,
       4},
  };
}

std::vector<Case> kernel_versions() {
  const DeviceInfo here = gpu();
  const Problem problem = u32(1 << 20);
  const auto old = [](const Candidate& candidate) { return of_kernels(candidate, "yesterday"); };
  return {
      {"another size of today before the exact one of yesterday",
       problem,
       here,
       {{old(trial(2, here, problem)), trial(4, here, u32(1 << 16))}, {}},
       MatchKind::near_size,
       4},
      {"shipped today before the user's yesterday",
       problem,
       here,
       {{old(trial(2, here, problem))}, {trial(4, here, u32(1 << 16))}},
       MatchKind::shipped,
       4},
      {"nearest of yesterday where there is none of today",
       problem,
       here,
       {{old(trial(2, here, u32(1 << 10))), old(trial(4, here, u32(1 << 19)))}, {}},
       MatchKind::near_size,
       4},
      {"this device yesterday before another today",
       problem,
       here,
       {{old(trial(2, here, problem)), trial(4, gpu(9, 0, 114), problem)}, {}},
       MatchKind::exact,
       2},
      {"lower minor of today before the same capability of yesterday",
       problem,
       gpu(8, 9, 100),
       {{old(trial(2, gpu(8, 9, 50), problem)), trial(4, gpu(8, 6, 84), problem)}, {}},
       MatchKind::near_device,
       4},
      {"yesterday's where today's does not fit",
       u32(8),
       here,
       {{trial(64, here, u32(31)), old(trial(2, here, u32(31)))}, {}},
       MatchKind::near_size,
       2},
  };
}

std::vector<Case> exclusions() {
  const DeviceInfo here = gpu();
  Problem pairs = u32(4096);
  pairs.value_bytes = 4;
  Problem argsort = u32(4096);
  argsort.operation = Operation::argsort;
  argsort.index_bytes = 4;
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
       {{trial(64, here, u32(9)), trial(4, here, u32(31))}, {}},
       MatchKind::near_size,
       4},
      {"what was tuned for eight times as long an array",
       u32(8),
       here,
       {{trial(4, here, u32(64))}, {}},
       MatchKind::defaulted,
       1},
      {"what was tuned for four times as long rows",
       u32(8, 100),
       here,
       {{trial(4, here, u32(32, 100))}, {}},
       MatchKind::defaulted,
       1},
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
       {{trial(2, selecting::emulated(), u32(4096))}, {trial(2, selecting::emulated(), u32(4096))}},
       MatchKind::defaulted,
       1},
      {"a GPU's trials for the emulated device",
       u32(4096),
       selecting::emulated(),
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
  const Selection selection = select_among(c.problem, c.device, c.candidates, both, today);
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
INSTANTIATE_TEST_SUITE_P(ShippedAndOwn, SelectionLadder, testing::ValuesIn(shipped_and_own()), case_name);
INSTANTIATE_TEST_SUITE_P(KernelVersions, SelectionLadder, testing::ValuesIn(kernel_versions()), case_name);
INSTANTIATE_TEST_SUITE_P(Ties, SelectionLadder, testing::ValuesIn(ties()), case_name);
INSTANTIATE_TEST_SUITE_P(Exclusions, SelectionLadder, testing::ValuesIn(exclusions()), case_name);

}  // namespace
}  // namespace ladder_test
}  // namespace bitune
