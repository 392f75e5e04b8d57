#pragma once

/// \file
/// What the parts of a session share: what it was asked, what it works with, and its clock.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "cache/claims.hpp"
#include "runtime/selection.hpp"
#include "tuner/incumbents.hpp"
#include "tuner/problem_queue.hpp"
#include "tuner/session.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune {

/// One running session. Thread-confined.
struct SessionState {
  using Clock = std::chrono::steady_clock;

  const TuneRequest& request;
  ProblemQueue& problems;  ///< shared with the sessions of other devices
  const TuningSource& source;
  const DeviceInfo& device;
  Evaluator& evaluator;
  TuningDatabase& database;
  const std::function<void(const TuneProgress&)>& progress;
  const std::atomic<bool>& stop;
  const Incumbents incumbents;
  const Claims claims;  ///< on configurations, so that sessions that share a database share the work

  std::int64_t database_session = 0;
  Clock::time_point begin = request.now();
  std::optional<Clock::time_point> end = std::nullopt;  ///< of the time budget
  std::uint64_t evaluations = 0;                        ///< in all problems so far, finalists not counted
  ProblemQueue::Share share = {};                       ///< the problem under way
  std::set<std::size_t> ahead =
      {};  ///< problems whose first kernels have been compiled ahead, or are under way

  [[nodiscard]] Clock::time_point now() const { return request.now(); }
  [[nodiscard]] bool stopped() const noexcept { return stop.load(std::memory_order_relaxed); }
  [[nodiscard]] bool out_of_time() const { return end && now() >= *end; }
  /// What is selected today for the problem; nothing if the session is to leave that out.
  [[nodiscard]] std::vector<Configuration> incumbents_of(const Problem& problem) const {
    return request.incumbents ? incumbents.of(problem) : std::vector<Configuration>{};
  }
  /// For this device, the one under way included.
  [[nodiscard]] std::size_t problems_left() const { return problems.left_for_each(); }

  /// What is known of problems like this one, in this database and the shipped one; nothing if the session is
  /// to start cold.
  [[nodiscard]] CandidateSet candidates(const Problem& problem) const {
    return request.warm_start ? read_candidates(problem, database.path()) : CandidateSet{};
  }

  /// Evaluates; whatever the result, it is about this problem and these kernels.
  [[nodiscard]] Trial evaluate(const EvaluationRequest& evaluation) const {
    Trial trial = evaluator.evaluate(evaluation);
    trial.kernel_digest = source.kernel_digest(trial.configuration.variant);
    return trial;
  }
};

}  // namespace bitune
