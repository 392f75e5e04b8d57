// Nobody sorts slower for having tuned: what sorts took before is measured first, and is a finalist.

#include "tuner/incumbents.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/device_limits.hpp"
#include "tests/unit/tuner/fake_session.hpp"
#include "tests/unit/tuner/recorded_session.hpp"

namespace bitune {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Incumbent : public testing::Test, protected testing_support::SessionFixture {
 protected:
  Incumbent() { source.selects_on = device; }

  std::set<std::int64_t> finalists() const {
    std::set<std::int64_t> values;
    for (const Trial& trial : stored(true)) values.insert(trial.configuration.at("x"));
    return values;
  }
};

TEST_F(Incumbent, IsTriedFirstAndIsAFinalistHoweverFarBehind) {
  request.compile_threads = 1;
  request.finalists = 1;
  source.defaults = {7, 3};
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 7 ? 200.0 : x == 13 ? 50.0 : 100.0; };
  const auto outcomes = run();
  EXPECT_EQ(evaluator.asked(true).front(), 7);
  EXPECT_EQ(finalists(), (std::set<std::int64_t>{7, 13}));
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 13);
}

TEST_F(Incumbent, IsLeftOutWhereTheRequestSaysSo) {
  request.compile_threads = 1;
  request.finalists = 1;
  request.incumbents = false;
  source.defaults = {7, 3};
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 7 ? 200.0 : x == 13 ? 50.0 : 100.0; };
  (void)run();
  EXPECT_EQ(finalists(), std::set<std::int64_t>{13});
}

TEST_F(Incumbent, OfEveryProblemIsMeasuredWhenTheTimeIsOver) {
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}, {{}, {.n = 4096}}};
  request.compile_threads = 1;
  request.budget_seconds = 1;
  source.defaults = {7};
  std::map<std::uint64_t, std::vector<std::int64_t>> asked;
  evaluator.on_call = [&](const EvaluationRequest& evaluation) {
    asked[evaluation.problem.n].push_back(evaluation.configuration.at("x"));
    now += 2s;
  };
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 3u);
  for (const TuneOutcome& outcome : outcomes) {
    EXPECT_EQ(asked[outcome.problem.n], (std::vector<std::int64_t>{7, 7})) << "in the search and the finals";
    ASSERT_TRUE(outcome.best);
    EXPECT_EQ(outcome.best->configuration.at("x"), 7);
  }
}

TEST_F(Incumbent, IsWhatSortsTookBeforeTheSession) {
  // After 1024 keys have been tuned, sorts of 2048 keys would take x = 13.
  request.problems = {{{}, {.n = 1024}}, {{}, {.n = 2048}}};
  request.compile_threads = 1;
  request.finalists = 0;
  source.defaults = {7};
  evaluator.time_us = [](std::int64_t x, std::size_t) { return x == 13 ? 50.0 : 100.0; };
  std::map<std::uint64_t, std::int64_t> first;
  evaluator.on_call = [&first](const EvaluationRequest& evaluation) {
    first.emplace(evaluation.problem.n, evaluation.configuration.at("x"));
  };
  (void)run();
  EXPECT_EQ(first, (std::map<std::uint64_t, std::int64_t>{{1024, 7}, {2048, 7}}));

  // Of a third length sorts take x = 13 now, and would take x = 7 if nobody had tuned this device.
  request.problems = {{{}, {.n = 4096}}};
  evaluator.requests.clear();
  (void)run();
  EXPECT_EQ(evaluator.requests[0].configuration.at("x"), 13);
  EXPECT_EQ(evaluator.requests[1].configuration.at("x"), 7);
}

TEST_F(Incumbent, GivesWayToAWinnerThatSortsTakeFromThenOn) {
  // The first session sees x = 4 in a lucky moment. The second one knows neither it nor its luck.
  double luck = 1;
  evaluator.time_us = [&luck](std::int64_t x, std::size_t) {
    return (100 + static_cast<double>(x)) * (x == 4 ? luck : 1) * (x == 3 ? luck : 1);
  };
  luck = 0.5;
  request.finalists = 2;
  (void)run();
  EXPECT_EQ(finalists(), (std::set<std::int64_t>{0, 3, 4}));
  luck = 1;
  request.resume = false;
  request.finalists = 1;
  const auto outcomes = run();
  const auto taken = source.selected(request.problems[0], read_candidates(request.problems[0], path));
  EXPECT_EQ(outcomes[0].best->configuration.at("x"), 0);
  EXPECT_EQ(taken->configuration.at("x"), 0);
}

TEST_F(Incumbent, StaysWhereNothingIsOnePercentFaster) {
  request.compile_threads = 1;
  source.defaults = {7};
  double of_other = 99.5;
  evaluator.time_us = [&of_other](std::int64_t x, std::size_t) {
    return x == 7 ? 100.0 : x == 3 ? of_other : 110.0;
  };
  const auto taken = [this] {
    return source.selected(request.problems[0], read_candidates(request.problems[0], path))
        ->configuration.at("x");
  };
  EXPECT_EQ(run()[0].best->configuration.at("x"), 7);
  EXPECT_EQ(taken(), 7);
  EXPECT_FALSE(finalists().contains(3));
  // Nothing is measured again where nothing is new.
  evaluator.requests.clear();
  EXPECT_EQ(run()[0].best->configuration.at("x"), 7);
  EXPECT_TRUE(evaluator.requests.empty());

  of_other = 98.5;
  request.resume = false;
  EXPECT_EQ(run()[0].best->configuration.at("x"), 3);
  EXPECT_EQ(taken(), 3);
}

/// How many lengths that are a little shorter are added to each on record: what a search begins with.
constexpr std::uint64_t neighbours = 5;

/// Adds problems that are tuned before those on record, and for which only configurations are known that take
/// 1.3 to 2 times the least time on record: what wins there is no good start.
std::vector<RecordedSpace> with_neighbours(const std::vector<RecordedSpace>& recorded) {
  std::vector<RecordedSpace> all;
  for (const RecordedSpace& space : recorded) {
    for (std::uint64_t k = neighbours; k > 0; --k) {
      RecordedSpace& neighbour = all.emplace_back();
      neighbour.problem = space.problem;
      neighbour.problem.n -= k;
      std::uint64_t mediocre = 0;
      for (const Trial& trial : space.trials) {
        const double times = trial.median_us().value_or(0) / space.best_us;
        if (times < 1.3 || times > 2 || mediocre++ % neighbours != k - 1) continue;
        neighbour.trials.push_back(trial);
        neighbour.domain.configurations.push_back(trial.configuration);
      }
    }
    all.push_back(space);
  }
  return all;
}

/// What an H200 has on record, and a device that takes as long for everything, and goes by another name.
class IncumbentOnRecord : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr double noise = 0.002;

  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("bitune-incumbent-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    ship();
  }
  void TearDown() override {
    ::unsetenv("BITUNE_SHIPPED_DB");
    fs::remove_all(folder_);
  }

  static DeviceInfo another(DeviceInfo device) {
    device.name = "another GPU";
    device.sm_count = 114;
    return device;
  }

  static const testing_support::Recorded& recorded() {
    static const testing_support::Recorded recorded([] {
      std::vector<fs::path> files;
      for (const char* variant : {"global", "shared", "warp"}) {
        for (const char* n : {"1024", "4194304"}) {
          files.push_back(fs::path(BITUNE_TEST_DATA) / "recorded" / "nvidia-h200" /
                          (std::string(variant) + "_u32_" + n + ".json.gz"));
        }
      }
      return with_neighbours(read_recorded_spaces(files));
    }());
    return recorded;
  }

  /// The fastest on record of each variant are shipped.
  void ship() const {
    TuningDatabase shipped(folder_ / "shipped.db", DatabaseMode::read_write);
    const auto session = shipped.begin_session(h200_, {"uuid", "driver", "compiler"}, {});
    for (const RecordedSpace& space : recorded().spaces()) {
      for (const char* variant : {"global", "shared", "warp"}) {
        if (space.device.empty() || recorded().best(space.problem, variant) == nullptr) continue;
        Trial best = *recorded().best(space.problem, variant);
        best.status = TrialStatus::ok;
        best.finalist = true;
        best.kernel_digest = testing_support::RecordedSource::digest;
        (void)shipped.store(session, best);
      }
    }
    ::setenv("BITUNE_SHIPPED_DB", (folder_ / "shipped.db").c_str(), 1);
  }

  void tune(const std::vector<Problem>& problems, std::uint64_t seed, bool resume = true) {
    TuneRequest request;
    request.problems = problems;
    request.seed = seed;
    request.resume = resume;
    request.strategy = "random";
    request.compile_threads = 1;
    request.budget_evaluations = 8 * problems.size();
    request.now = [] { return std::chrono::steady_clock::time_point(); };
    testing_support::RecordedEvaluator evaluator(recorded(), seed, noise);
    TuningDatabase database(user_database(), DatabaseMode::read_write);
    const std::atomic<bool> stop = false;
    (void)tune_with(request, source_, here_, {"uuid", "driver", "compiler"}, evaluator, database, {}, stop);
  }

  /// What a sort of each problem that was recorded takes, by what is on record.
  std::map<std::uint64_t, double> times() const {
    std::map<std::uint64_t, double> times;
    for (const RecordedSpace& space : recorded().spaces()) {
      if (space.device.empty()) continue;
      const Problem& problem = space.problem;
      const auto selection = source_.selected(problem, read_candidates(problem, user_database()));
      times[problem.n] = recorded().time_us(problem, selection->configuration);
    }
    return times;
  }

  static std::vector<Problem> problems() {
    std::vector<Problem> problems;
    for (const RecordedSpace& space : recorded().spaces()) problems.push_back(space.problem);
    return problems;
  }

  static void expect_no_slower(const std::map<std::uint64_t, double>& after,
                               const std::map<std::uint64_t, double>& before, const char* when) {
    for (const auto& [n, us] : before) EXPECT_LE(after.at(n), 1.01 * us) << when << ", n = " << n;
  }

  fs::path user_database() const { return folder_ / "user.db"; }

  fs::path folder_;
  const DeviceInfo h200_ = test::h200();
  const DeviceInfo here_ = another(h200_);
  testing_support::RecordedSource source_{recorded(), here_};
};

TEST_P(IncumbentOnRecord, NoProblemIsSlowerAfterTuning) {
  const auto untuned = times();
  tune(problems(), GetParam());
  const auto tuned = times();
  expect_no_slower(tuned, untuned, "tuned");
  tune(problems(), GetParam() + 100);
  const auto resumed = times();
  expect_no_slower(resumed, tuned, "tuned further");
  tune(problems(), GetParam() + 200, false);
  expect_no_slower(times(), resumed, "tuned anew");
}

TEST_P(IncumbentOnRecord, NoProblemIsSlowerThanUntunedAfterOthersWereTunedBefore) {
  const auto untuned = times();
  std::vector<Problem> others = problems();
  const Problem longest = others.back();
  others.pop_back();
  tune(others, GetParam());
  const auto before = times();
  tune({longest}, GetParam());
  const auto after = times();
  expect_no_slower(after, before, "the longest tuned alone");
  EXPECT_LE(after.at(longest.n), 1.01 * untuned.at(longest.n));
}

TEST_P(IncumbentOnRecord, NoProblemIsSlowerAfterASearchOfOneVariant) {
  const auto untuned = times();
  source_.only_variant = "global";
  tune(problems(), GetParam());
  expect_no_slower(times(), untuned, "tuned");
}

INSTANTIATE_TEST_SUITE_P(Seeds, IncumbentOnRecord, testing::Values(1, 2));

}  // namespace
}  // namespace bitune
