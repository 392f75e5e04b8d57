// What a selector remembers of the databases between the problems that it is asked for.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selector.hpp"
#include "tests/unit/runtime/selection_support.hpp"

namespace bitune::selecting {
namespace {

/// Reads as TuningDatabase::candidates does: a trial of 4-byte keys for a single array, and one for rows.
struct Reader {
  int reads = 0;

  CandidateSet operator()(const Problem& problem) {
    ++reads;
    CandidateSet found;
    for (const Problem& tuned : {u32(1000), u32(64, 8)}) {
      if (size_of(problem.key) == 4 && (tuned.rows == 1) == (problem.rows == 1)) {
        found.user.push_back(of_kernels(trial(64, gpu(), tuned), kernel_sources_digest("simple")));
      }
    }
    return found;
  }
};

TEST(Selector, FindsRowsAfterASingleArrayAndTheOtherWayRound) {
  for (const bool rows_first : {false, true}) {
    Reader reader;
    Selector selector(
        gpu(), [&](const Problem& problem, std::string*) { return reader(problem); }, both);
    std::vector<Problem> problems = {u32(1000), u32(64, 8)};
    if (rows_first) std::reverse(problems.begin(), problems.end());
    for (const Problem& problem : problems) {
      EXPECT_EQ(selector.select(problem).match, MatchKind::exact) << problem.n << " x " << problem.rows;
    }
    EXPECT_EQ(reader.reads, 2);
  }
}

TEST(Selector, ReadsOnceForAllProblemsOfAClass) {
  Reader reader;
  Selector selector(
      gpu(), [&](const Problem& problem, std::string*) { return reader(problem); }, both);
  for (const std::uint64_t n : {500u, 1000u, 2000u}) {
    EXPECT_NE(selector.select(u32(n)).match, MatchKind::defaulted);
    EXPECT_NE(selector.select(with_key(u32(n), KeyType::f32)).match, MatchKind::defaulted);
    EXPECT_NE(selector.select(with_order(u32(n), Order::descending)).match, MatchKind::defaulted);
  }
  EXPECT_EQ(reader.reads, 1);
  EXPECT_EQ(selector.select(with_key(u32(1000), KeyType::u64)).match, MatchKind::defaulted);
  EXPECT_EQ(reader.reads, 2);
}

TEST(Selector, LeavesOutWhatTheDeviceHadNoRoomForAndSaysSo) {
  Reader reader;
  Selector selector(
      gpu(), [&](const Problem& problem, std::string*) { return reader(problem); }, both);
  const Configuration tuned = selector.select(u32(1000)).configuration;
  selector.leave_out(u32(1000), {tuned, "no room"});
  const Selection next = selector.select(u32(1000));
  EXPECT_NE(next.configuration, tuned);
  EXPECT_EQ(next.match, MatchKind::defaulted);
  EXPECT_NE(next.reason.find(tuned.text() + " is left out: no room"), std::string::npos) << next.reason;
  EXPECT_EQ(selector.select(u32(999)).configuration, tuned) << "other problems ask the device themselves";

  selector.leave_out(u32(1000), {next.configuration, "no room either"});
  const Selection last = selector.select(u32(1000));
  EXPECT_NE(last.configuration.variant, next.configuration.variant) << "the default of another variant";
}

}  // namespace
}  // namespace bitune::selecting
