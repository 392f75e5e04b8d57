// What won for related problems is tried first: sessions on recorded spaces, which here stand for other
// operations, as the times on record say nothing of what is done with the keys.

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/tuner/recorded_session.hpp"
#include "tuner/session.hpp"
#include "tuner/session_engine.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t n = 16384;

Problem pairs_of(std::uint64_t length, std::uint32_t value_bytes = 4, bool stable = true) {
  return {{.operation = Operation::sort_pairs, .value_bytes = value_bytes, .stable = stable}, {.n = length}};
}
Problem argsort_of(std::uint64_t length) {
  return {{.operation = Operation::argsort, .index_bytes = 4, .stable = true}, {.n = length}};
}

/// The problem that others have been tuned for, and one that nobody has.
struct Related {
  const char* name;
  Problem tuned;
  Problem asked;
};

class RelatedProblems : public testing::TestWithParam<Related> {
 protected:
  /// How many shorter arrays a session tunes before it comes to the problem.
  static constexpr std::uint64_t shorter = 5;

  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("bitune-related-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    ::setenv("BITUNE_SHIPPED_DB", (folder_ / "shipped.db").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("BITUNE_SHIPPED_DB");
    fs::remove_all(folder_);
  }

  /// All that is on record of `n` keys, as if it were of this problem.
  static RecordedSpace space_of(const RecordedSpace& recorded, const Problem& problem) {
    RecordedSpace space = recorded;
    space.problem = problem;
    for (Trial& trial : space.trials) trial.problem = problem;
    return space;
  }

  /// Some configurations that take 1.3 to 2 times the least time on record, and no two problems have the
  /// same.
  static RecordedSpace poor_space_of(const RecordedSpace& recorded, const Problem& problem) {
    RecordedSpace space = recorded;
    space.problem = problem;
    space.trials.clear();
    space.domain = {};
    std::uint64_t poor = 0;
    for (Trial trial : recorded.trials) {
      const double times = trial.median_us().value_or(0) / recorded.best_us;
      if (times < 1.3 || times > 2 || poor++ % (8 * shorter) != n - problem.n) continue;
      trial.problem = problem;
      space.domain.configurations.push_back(trial.configuration);
      space.trials.push_back(std::move(trial));
    }
    return space;
  }

  static std::vector<Problem> shorter_ones() {
    std::vector<Problem> problems(shorter, GetParam().asked);
    for (std::uint64_t k = 0; k < shorter; ++k) problems[k].n -= shorter - k;
    return problems;
  }

  /// Both problems, and shorter arrays for which only poor configurations are known.
  static testing_support::Recorded recorded() {
    std::vector<fs::path> files;
    for (const char* variant : {"global", "shared", "warp"}) {
      files.push_back(fs::path(BITUNE_TEST_DATA) / "recorded" / "nvidia-h200" /
                      (std::string(variant) + "_u32_16384.json.gz"));
    }
    const RecordedSpace on_record = read_recorded_spaces(files).at(0);
    std::vector<RecordedSpace> spaces = {space_of(on_record, GetParam().tuned),
                                         space_of(on_record, GetParam().asked)};
    for (const Problem& problem : shorter_ones()) spaces.push_back(poor_space_of(on_record, problem));
    return testing_support::Recorded(std::move(spaces));
  }

  fs::path folder_;
};

TEST_P(RelatedProblems, TheWinnerOfOneIsFoundInTheFirstTrialsOfTheOther) {
  const testing_support::Recorded on_record = recorded();
  const DeviceInfo h200 = test::h200();
  DeviceInfo here = h200;
  here.name = "another GPU";
  here.sm_count = 114;
  const testing_support::RecordedSource source(on_record, here);
  const double best_us = on_record.spaces()[0].best_us;
  {
    // Of one problem the best is shipped; of the other one what was found without it.
    TuningDatabase shipped(folder_ / "shipped.db", DatabaseMode::read_write);
    const auto session = shipped.begin_session(h200, {"uuid", "driver", "compiler"}, {});
    const auto ship = [&](Trial trial) {
      trial.status = TrialStatus::ok;
      trial.finalist = true;
      trial.kernel_digest = testing_support::RecordedSource::digest;
      (void)shipped.store(session, trial);
    };
    for (const Trial& trial : on_record.spaces()[0].trials) {
      if (trial.median_us() == best_us) ship(trial);
    }
    Trial poor = on_record.spaces()[2].trials.at(0);
    poor.problem = GetParam().asked;
    ship(poor);
  }

  TuneRequest request;
  request.problems = shorter_ones();
  request.problems.push_back(GetParam().asked);
  request.strategy = "random";
  request.compile_threads = 1;
  request.finalists = 0;
  request.budget_evaluations = 4 * request.problems.size();
  request.now = [] { return std::chrono::steady_clock::time_point(); };
  testing_support::RecordedEvaluator evaluator(on_record, 1, 0);
  TuningDatabase database(folder_ / "user.db", DatabaseMode::read_write);
  const std::atomic<bool> stop = false;
  const auto outcomes =
      tune_with(request, source, here, {"uuid", "driver", "compiler"}, evaluator, database, {}, stop);
  ASSERT_TRUE(outcomes.back().best);
  EXPECT_EQ(outcomes.back().best->problem, GetParam().asked);
  EXPECT_DOUBLE_EQ(*outcomes.back().best->median_us(), best_us);
  EXPECT_LE(outcomes.back().evaluated, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, RelatedProblems,
                         testing::Values(Related{"argsort_then_pairs", argsort_of(n), pairs_of(n)},
                                         Related{"pairs_then_argsort", pairs_of(n), argsort_of(n)},
                                         Related{"narrow_then_wide", pairs_of(n, 4), pairs_of(n, 8)},
                                         Related{"stable_then_unstable", pairs_of(n), pairs_of(n, 4, false)}),
                         [](const testing::TestParamInfo<Related>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace bitune
