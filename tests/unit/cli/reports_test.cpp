#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cache/leftovers.hpp"
#include "cli/sort_report.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/tune_report.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {
namespace {

Trial trial_of(double us) {
  Trial trial;
  trial.problem.n = 1024;
  trial.configuration = {"warp", {{"block_size_x", 64}}};
  trial.samples_us = {us};
  return trial;
}

TEST(TuneReport, ProgressNamesProblemBestAndTimeLeft) {
  const Trial best = trial_of(12.3);
  TuneProgress progress;
  progress.problem = &best.problem;
  progress.problem_index = 1;
  progress.problem_count = 4;
  progress.evaluated = 5;
  progress.candidates = 10;
  progress.remaining_seconds = 90;
  progress.best = &best;
  EXPECT_EQ(progress_text(progress),
            "u32 2^10 (2/4) [########--------] 5/10  1 min 30 s left  best 12.3 us warp(block_size_x=64)");
  EXPECT_EQ(progress_text({}), "[----------------] 0/0");
  const Problem argsort{
      {.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4, .stable = true}, {.n = 1000}};
  progress.problem = &argsort;
  EXPECT_TRUE(progress_text(progress).starts_with("argsort 4 B f32 1000 (2/4) [")) << progress_text(progress);
}

TEST(TuneReport, OutcomesAreRows) {
  TuneOutcome good{trial_of(10).problem, 0, 8, 2, 4, 1, trial_of(10), {trial_of(10.1)}};
  TuneOutcome bad{trial_of(10).problem, 1, 3, 0, 0, 3, std::nullopt, {}};
  const std::vector<TuneOutcome> outcomes = {good, bad};
  const TuneSummary summary{"Test GPU", "/x/tuning.db", 1.5, false};
  const std::string text = tune_text(outcomes, summary);
  EXPECT_NE(text.find("102.40 Mkeys/s"), std::string::npos) << text;
  EXPECT_NE(text.find("11 trials in 1.5 s on Test GPU, stored in /x/tuning.db"), std::string::npos) << text;
  const auto document = nlohmann::json::parse(tune_json(outcomes, summary));
  EXPECT_EQ(document.at("problems")[0].at("best").at("configuration").at("variant"), "warp");
  EXPECT_EQ(document.at("problems")[0].at("ties").size(), 1U);
  EXPECT_TRUE(document.at("problems")[1].at("best").is_null());
  EXPECT_EQ(document.at("interrupted"), false);
}

TEST(TuneReport, SeveralDevicesAreNamedWithTheirShares) {
  TuneOutcome first{.problem = trial_of(10).problem, .index = 0, .evaluated = 8, .best = {}, .ties = {}};
  TuneOutcome second{.problem = trial_of(10).problem, .index = 1, .evaluated = 5, .best = {}, .ties = {}};
  const std::vector<DeviceResult> results = {{"GPU 0", {second}, "", nullptr},
                                             {"GPU 1", {first}, "it is gone", nullptr}};
  const std::vector<TuneOutcome> outcomes = outcomes_of(results);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].evaluated, 8U) << "in the order of the request";
  const TuneSummary summary{"GPU 0, GPU 1", "/x/tuning.db", 1.5, false, device_shares(results)};
  const std::string text = tune_text(outcomes, summary);
  EXPECT_NE(text.find("GPU 0: 1 problem, 5 trials\n"), std::string::npos) << text;
  EXPECT_NE(text.find("GPU 1: 1 problem, 8 trials, failed: it is gone\n"), std::string::npos) << text;
  const auto document = nlohmann::json::parse(tune_json(outcomes, summary));
  EXPECT_TRUE(document.at("devices")[0].at("error").is_null());
  EXPECT_EQ(document.at("devices")[1].at("error"), "it is gone");
  EXPECT_EQ(document.at("devices")[1].at("evaluated"), 8);
}

TEST(SortReport, SaysWhatAndWhy) {
  SortReport report;
  report.device = "Test GPU";
  report.problem.n = 1000;
  report.how.configuration = "warp(block_size_x=64)";
  report.how.match = "exact";
  report.how.reason = "tuned here";
  report.times = {10, 20, 30, 100};
  const std::string text = sort_text(report);
  EXPECT_NE(text.find("sorted 1000 u32 keys, ascending, on Test GPU"), std::string::npos) << text;
  EXPECT_NE(text.find("exact: tuned here"), std::string::npos) << text;
  EXPECT_EQ(text.find("verified"), std::string::npos) << text;
  report.problem.rows = 3;
  report.verified = true;
  EXPECT_NE(sort_text(report).find("3 rows of 1000 u32 keys"), std::string::npos);
  EXPECT_NE(sort_text(report).find("verified"), std::string::npos);
  const auto document = nlohmann::json::parse(sort_json(report));
  EXPECT_EQ(document.at("verified"), true);
  EXPECT_DOUBLE_EQ(document.at("keys_per_second").at("kernels").get<double>(), 3000 / 20e-6);
  EXPECT_TRUE(document.at("output").is_null());
}

TEST(StopOnSignal, SetsTheFlag) {
  {
    const StopOnSignal stop;
    EXPECT_FALSE(stop.flag());
    EXPECT_EQ(stop.signal(), 0);
    kill(getpid(), SIGINT);
    while (stop.signal() == 0) std::this_thread::yield();
    EXPECT_TRUE(stop.flag());
    EXPECT_EQ(stop.signal(), SIGINT);
  }
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0) << "the mask is as it was";
}

TEST(StopOnSignal, TakesAHangupForCtrlC) {
  {
    const StopOnSignal stop;
    kill(getpid(), SIGHUP);
    while (stop.signal() == 0) std::this_thread::yield();
    EXPECT_EQ(stop.signal(), SIGHUP);
  }
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopOnSignal stop;
    kill(getpid(), SIGHUP);  // ignored, as under nohup
    kill(getpid(), SIGINT);
    while (stop.signal() == 0) std::this_thread::yield();
    EXPECT_EQ(stop.signal(), SIGINT);
  }
  std::signal(SIGHUP, before);
}

TEST(StopOnSignalDeathTest, TheSecondSignalLeavesNoTemporaryFiles) {
  const Folder folder;
  folder.write("half", "written");
  EXPECT_EXIT(
      {
        const Leftover leftover(folder.file("half"));
        const StopOnSignal stop;
        kill(getpid(), SIGINT);
        while (stop.signal() == 0) std::this_thread::yield();
        kill(getpid(), SIGHUP);
        while (true) pause();
      },
      testing::ExitedWithCode(129), "");
  EXPECT_TRUE(folder.names().empty());
}

TEST(StopOnSignalDeathTest, TheSecondSignalEndsAtOnce) {
  EXPECT_EXIT(
      {
        const StopOnSignal stop;
        kill(getpid(), SIGINT);
        while (stop.signal() == 0) std::this_thread::yield();
        kill(getpid(), SIGINT);
        while (true) pause();
      },
      testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace bitune::cli
