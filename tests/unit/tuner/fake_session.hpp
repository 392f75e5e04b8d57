#pragma once

/// \file
/// A scripted source of configurations and a scripted evaluator, for tests of sessions.

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "tuner/session_engine.hpp"

namespace bitune::testing_support {

/// Configurations "fake(x=0)", "fake(x=1)", ...
class FakeSource final : public TuningSource {
 public:
  explicit FakeSource(std::int64_t count) : count_(count) {}

  SearchDomain domain(const Problem& problem) const override;
  std::vector<Configuration> default_configurations(const Problem& problem) const override;
  std::optional<Selection> selected(const Problem& problem, const CandidateSet& candidates) const override;
  Compilation compile(const Problem& problem, const Configuration& configuration,
                      const std::stop_token& stop) const override;
  std::string plan_digest(const Problem& problem, const Configuration& configuration) const override;
  std::string kernel_digest(std::string_view) const override { return digest; }

  std::vector<std::int64_t> defaults;
  /// Whether sorts take what selection takes, the first default unless told otherwise; else there are no
  /// incumbents.
  std::optional<DeviceInfo> selects_on;
  /// Called on several threads.
  std::function<Compilation(std::int64_t x, const std::stop_token& stop)> on_compile;
  std::function<std::string(std::int64_t x)> plan;  ///< what tells plans apart; not set: nothing does
  std::string digest = "kernels of today";
  mutable std::atomic<int> compilations = 0;

 private:
  std::int64_t count_;
};

/// Takes the time of a configuration from a script and keeps what it was asked.
class FakeEvaluator final : public Evaluator {
 public:
  Trial evaluate(const EvaluationRequest& request) override;

  std::function<double(std::int64_t x, std::size_t call)> time_us = [](std::int64_t x, std::size_t) {
    return 100.0 + static_cast<double>(x);
  };
  std::size_t samples = 5;  ///< that a measurement takes; time_us may change it
  std::function<TrialStatus(std::int64_t x)> status = [](std::int64_t) { return TrialStatus::ok; };
  std::function<void(const EvaluationRequest&)> on_call;
  std::vector<EvaluationRequest> requests;

  /// The values of x that were asked for: of the search (verified), or of the finals.
  [[nodiscard]] std::vector<std::int64_t> asked(bool verify) const;
};

/// A session's surroundings with a database file of their own, and a clock that stands still unless a test
/// turns it.
struct SessionFixture {
  SessionFixture();
  ~SessionFixture();
  SessionFixture(const SessionFixture&) = delete;
  SessionFixture& operator=(const SessionFixture&) = delete;

  std::vector<TuneOutcome> run();
  [[nodiscard]] std::vector<Trial> stored(bool finalists) const;
  [[nodiscard]] std::vector<Trial> stored(TrialStatus status) const;

  std::string path;
  std::chrono::steady_clock::time_point now;
  DeviceInfo device;
  FakeSource source{20};
  FakeEvaluator evaluator;
  TuneRequest request;
  std::vector<TuneProgress> shown;
  std::function<void(const TuneProgress&)> on_progress;
  std::atomic<bool> stop = false;
  TuningDatabase database;
};

}  // namespace bitune::testing_support
