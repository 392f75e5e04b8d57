#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/emulated/temporary_folder.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/local_evaluator.hpp"
#include "tuner/request_json.hpp"
#include "tuner/worker_process.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

// What does not depend on the kernels under evaluation may take longer than they may, if `timeout_seconds` is
// small and not for all.
constexpr double least_start_seconds = 60;
constexpr double least_compile_seconds = 120;
constexpr double least_prepare_seconds = 300;
constexpr int start_attempts = 2;

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

class WorkerEvaluator final : public Evaluator {
 public:
  explicit WorkerEvaluator(WorkerOptions options) : options_(std::move(options)) {}

  Trial evaluate(const EvaluationRequest& request) override {
    const auto begin = Clock::now();
    Trial trial;
    try {
      trial = answer(request);
    } catch (const Failure& failure) {
      trial = begun_trial(request.problem, request.configuration);
      trial.measure_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      trial.status = failure.status;
      trial.message = failure.message;
    }
    return trial;
  }

 private:
  /// What ends one evaluation and the worker with it, but not the session.
  struct Failure {
    TrialStatus status;
    std::string message;
  };

  [[noreturn]] void fail(TrialStatus status, const std::string& message) {
    worker_.reset();
    throw Failure{status, message};
  }

  Trial answer(const EvaluationRequest& request) {
    const std::string question = line_of(Json{{"evaluate", json_of(request)}});
    start();
    if (!worker_->send(question)) {  // it ended while it had nothing to do
      worker_.reset();
      start();
      if (!worker_->send(question))
        fail(TrialStatus::launch_failed, "the worker ended before it was asked anything");
    }

    EvaluationPhase phase = EvaluationPhase::prepare;
    while (true) {
      const Json message = receive(phase, request);
      if (message.contains("phase")) {
        phase = parse_phase(message.at("phase"));
      } else if (message.contains("trial")) {
        return parse_trial(message, request);
      } else if (message.contains("error")) {
        const std::string text =
            message.at("error").is_string() ? message.at("error").get<std::string>() : "unknown";
        worker_.reset();
        throw Error(ErrorCode::device,
                    fmt::format("the worker for device '{}' cannot go on: {}", options_.device, text));
      } else {
        fail(TrialStatus::launch_failed,
             fmt::format("the worker answered with what is no trial: '{}'", shortened(line_of(message))));
      }
    }
  }

  /// The next message of the evaluation under way, which is in this phase.
  Json receive(EvaluationPhase phase, const EvaluationRequest& request) {
    const double seconds = seconds_for(phase);
    std::string line;
    switch (worker_->receive(line, deadline_in(seconds))) {
      case WorkerProcess::Received::line:
        break;
      case WorkerProcess::Received::timed_out:
        worker_->terminate();
        if (phase == EvaluationPhase::prepare) {
          worker_.reset();
          throw ProblemTimeout(
              fmt::format("making the keys of '{}' and what they must become took more than {:g} s: give a "
                          "longer --timeout",
                          text_of(request.problem), seconds));
        }
        fail(TrialStatus::timed_out, fmt::format("no end after {:g} s in phase '{}': the worker was killed",
                                                 seconds, name_of(phase)));
      case WorkerProcess::Received::ended:
        fail(TrialStatus::launch_failed,
             fmt::format("the worker {} in phase '{}'", worker_->terminate(), name_of(phase)));
      case WorkerProcess::Received::too_long:
        worker_->terminate();
        fail(TrialStatus::launch_failed, "the worker wrote without end and was killed");
    }
    Json message = Json::parse(line, nullptr, false);
    if (!message.is_object()) {
      worker_->terminate();
      fail(TrialStatus::launch_failed,
           fmt::format("the worker answered with what is no JSON: '{}'", shortened(line)));
    }
    return message;
  }

  EvaluationPhase parse_phase(const Json& name) {
    try {
      return parse_evaluation_phase(name.get<std::string>());
    } catch (const std::exception& error) {
      fail(TrialStatus::launch_failed, fmt::format("the worker's answer cannot be read: {}", error.what()));
    }
  }

  Trial parse_trial(const Json& message, const EvaluationRequest& request) {
    try {
      Trial trial = trial_from(message.at("trial"));
      if (trial.problem != request.problem || trial.configuration != request.configuration) {
        throw Error(ErrorCode::input, "it is about another configuration");
      }
      if (message.value("fatal", false))
        worker_.reset();  // its context is lost: the next evaluation starts another
      return trial;
    } catch (const std::exception& error) {
      fail(TrialStatus::launch_failed, fmt::format("the worker's answer cannot be read: {}", error.what()));
    }
  }

  void start() {
    if (worker_) return;
    std::vector<std::string> arguments = {"worker", "--device", options_.device};
    if (!options_.kernel_cache.empty()) arguments.insert(arguments.end(), {"--cache", options_.kernel_cache});
    std::string reason;
    for (int attempt = 0; attempt < start_attempts; ++attempt) {
      worker_.emplace(options_.program, arguments, std::vector{"TMPDIR=" + temporary_.path().string()});
      std::string line;
      const auto received =
          worker_->receive(line, deadline_in(std::max(options_.timeout_seconds, least_start_seconds)));
      const Json message =
          received == WorkerProcess::Received::line ? Json::parse(line, nullptr, false) : Json();
      if (message.is_object() && message.contains("ready")) return;
      if (message.is_object() && message.contains("error")) {
        worker_.reset();
        throw Error(ErrorCode::unavailable, message.at("error").get<std::string>());
      }
      reason = received == WorkerProcess::Received::line
                   ? fmt::format("said '{}'", shortened(line))
                   : (received == WorkerProcess::Received::timed_out ? "did not get ready in time"
                                                                     : worker_->terminate());
      worker_->terminate();
      worker_.reset();
    }
    throw Error(ErrorCode::unavailable, fmt::format("the worker '{}' for device '{}' does not start: it {}",
                                                    options_.program, options_.device, reason));
  }

  [[nodiscard]] double seconds_for(EvaluationPhase phase) const {
    switch (phase) {
      case EvaluationPhase::prepare:
        return no_less(least_prepare_seconds);
      case EvaluationPhase::compile:
        return no_less(least_compile_seconds);
      case EvaluationPhase::run:
        break;
    }
    return options_.timeout_seconds;
  }

  /// A phase's limit: what is given, or a least one where it need not hold.
  [[nodiscard]] double no_less(double least) const {
    return options_.timeout_for_all ? options_.timeout_seconds : std::max(options_.timeout_seconds, least);
  }

  static Clock::time_point deadline_in(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  WorkerOptions options_;
  emulated::TemporaryFolder temporary_;  ///< what a killed worker leaves behind goes with this session
  std::optional<WorkerProcess> worker_;  ///< nothing: the next evaluation starts one
};

}  // namespace

std::unique_ptr<Evaluator> make_worker_evaluator(const WorkerOptions& options) {
  return std::make_unique<WorkerEvaluator>(options);
}

}  // namespace bitune
