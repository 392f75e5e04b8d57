#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX signals

#include <chrono>
#include <filesystem>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_sources.hpp"
#include "tests/unit/tuner/fake_worker.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/worker_process.hpp"

namespace bitune {
namespace {

/// However slow the machine is: CTest ends a test that hangs.
constexpr double seconds_without_end = 1e6;
constexpr auto no_deadline = std::chrono::steady_clock::time_point::max();

EvaluationRequest request_of(std::int64_t mode) {
  EvaluationRequest request;
  request.problem.n = 1000;
  request.configuration = {"fake", {{"mode", mode}}};
  return request;
}

class Worker : public testing::Test {
 protected:
  static std::unique_ptr<Evaluator> start(const std::string& behaviour = "good",
                                          double timeout = seconds_without_end) {
    return make_worker_evaluator({.program = testing_support::own_program(),
                                  .device = behaviour,
                                  .kernel_cache = "unused",
                                  .timeout_seconds = timeout});
  }
  /// After a failure, the next evaluation is answered by a new worker.
  static void expect_works(Evaluator& evaluator) {
    const Trial trial = evaluator.evaluate(request_of(0));
    EXPECT_EQ(trial.status, TrialStatus::ok) << trial.message;
    EXPECT_EQ(trial.samples_us, (std::vector<double>{1, 2, 3}));
  }
};

TEST_F(Worker, AnswersFromOneProcess) {
  const auto evaluator = start();
  const Trial first = evaluator->evaluate(request_of(0));
  const Trial second = evaluator->evaluate(request_of(0));
  EXPECT_EQ(first.status, TrialStatus::ok);
  EXPECT_EQ(first.configuration, request_of(0).configuration);
  EXPECT_EQ(first.message, second.message) << "the process's number";
}

TEST_F(Worker, LeavesNoTemporaryFilesWhenItIsKilled) {
  auto evaluator = start("good", 0.3);
  const std::filesystem::path folder = evaluator->evaluate(request_of(10)).message;
  EXPECT_TRUE(std::filesystem::exists(folder / "left"));
  EXPECT_EQ(evaluator->evaluate(request_of(1)).status, TrialStatus::timed_out);
  EXPECT_EQ(evaluator->evaluate(request_of(10)).message, folder.string())
      << "of the session, not of one worker";
  evaluator.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(Worker, IsKilledWhenItHangs) {
  const auto evaluator = start("good", 0.3);
  EvaluationRequest request = request_of(1);
  request.configuration.variant = "global";
  const Trial trial = evaluator->evaluate(request);
  EXPECT_EQ(trial.status, TrialStatus::timed_out);
  EXPECT_NE(trial.message.find("0.3 s"), std::string::npos) << trial.message;
  EXPECT_EQ(trial.problem, request_of(1).problem);
  EXPECT_EQ(trial.kernel_digest, kernel_sources_digest("global"));
  EXPECT_FALSE(trial.timestamp.empty());
  expect_works(*evaluator);
}

TEST_F(Worker, TimeLimitIsForThePhaseThatRunsKernels) {
  // No answer comes within a nanosecond. A worker that says nothing of running kernels has minutes.
  const auto evaluator = start("good", 1e-9);
  EXPECT_EQ(evaluator->evaluate(request_of(8)).status, TrialStatus::ok);
  EXPECT_EQ(evaluator->evaluate(request_of(1)).status, TrialStatus::timed_out);
}

TEST_F(Worker, TimeLimitIsForMakingKeysTooWhereItIsForAll) {
  const auto evaluator = make_worker_evaluator({.program = testing_support::own_program(),
                                                .device = "good",
                                                .kernel_cache = "unused",
                                                .timeout_seconds = 0.3,
                                                .timeout_for_all = true});
  try {
    (void)evaluator->evaluate(request_of(11));
    FAIL();
  } catch (const ProblemTimeout& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find(text_of(request_of(11).problem)), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("0.3 s"), std::string::npos) << sentence;
  }
  EXPECT_EQ(evaluator->evaluate(request_of(12)).status, TrialStatus::timed_out) << "while it compiles";
}

TEST_F(Worker, CrashNamesTheSignal) {
  const auto evaluator = start();
  const Trial trial = evaluator->evaluate(request_of(2));
  EXPECT_EQ(trial.status, TrialStatus::launch_failed);
  EXPECT_NE(trial.message.find("signal 11"), std::string::npos) << trial.message;
  EXPECT_NE(trial.message.find("phase 'run'"), std::string::npos) << trial.message;
  expect_works(*evaluator);
}

TEST_F(Worker, GarbageCostsOneTrial) {
  const auto evaluator = start();
  for (const std::int64_t mode : {3, 5, 9}) {
    const Trial trial = evaluator->evaluate(request_of(mode));
    EXPECT_EQ(trial.status, TrialStatus::launch_failed) << mode;
    EXPECT_FALSE(trial.message.empty()) << mode;
    expect_works(*evaluator);
  }
}

TEST_F(Worker, EndingCostsOneTrialAndSaysTheCode) {
  const auto evaluator = start();
  const Trial trial = evaluator->evaluate(request_of(4));
  EXPECT_EQ(trial.status, TrialStatus::launch_failed);
  EXPECT_NE(trial.message.find("exited with code 5"), std::string::npos) << trial.message;
  expect_works(*evaluator);
}

TEST_F(Worker, LostContextKeepsTheTrialAndStartsAnother) {
  const auto evaluator = start();
  const Trial trial = evaluator->evaluate(request_of(6));
  EXPECT_EQ(trial.status, TrialStatus::ok) << "as the worker said";
  EXPECT_NE(evaluator->evaluate(request_of(0)).message, trial.message);
}

TEST_F(Worker, ThatCannotGoOnThrows) {
  const auto evaluator = start();
  try {
    (void)evaluator->evaluate(request_of(7));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_NE(std::string(error.what()).find("the GPU is gone"), std::string::npos);
  }
}

TEST_F(Worker, ThatDoesNotStartThrows) {
  EXPECT_THROW((void)start("mute")->evaluate(request_of(0)), Error);
  try {
    (void)start("no device")->evaluate(request_of(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_EQ(std::string(error.what()), "there is no device 7");
  }
  const auto missing =
      make_worker_evaluator({.program = "/no/such/program", .device = "0", .kernel_cache = ""});
  EXPECT_THROW((void)missing->evaluate(request_of(0)), Error);
}

TEST_F(Worker, SurvivesAnInterruptOfTheGroup) {
  // The signal is blocked from the first instruction on; were it not, the default action would end the
  // process.
  WorkerProcess process("/bin/sh", {"-c", "kill -INT $$; echo alive; read line; echo \"$line\""});
  std::string line;
  ASSERT_EQ(process.receive(line, no_deadline), WorkerProcess::Received::line);
  EXPECT_EQ(line, "alive");
  ASSERT_TRUE(process.send("hello"));
  ASSERT_EQ(process.receive(line, no_deadline), WorkerProcess::Received::line);
  EXPECT_EQ(line, "hello");
  EXPECT_EQ(process.receive(line, no_deadline), WorkerProcess::Received::ended);
  EXPECT_EQ(process.terminate(), "exited with code 0");
}

TEST_F(Worker, SendingToAnEndedProcessIsNoSignal) {
  WorkerProcess process("/bin/true", {});
  std::string line;
  EXPECT_EQ(process.receive(line, no_deadline), WorkerProcess::Received::ended);
  (void)process.terminate();
  EXPECT_FALSE(process.send(std::string(1 << 20, 'x')));
}

}  // namespace
}  // namespace bitune
