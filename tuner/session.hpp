#pragma once

/// \file
/// A tuning session: problems x search spaces x strategy -> trials in the database.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "model/trial.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

/// Tells a session what time it is. It never goes back. Called from the session's thread.
using SessionClock = std::function<std::chrono::steady_clock::time_point()>;

/// What to tune and how.
struct TuneRequest {
  std::vector<Problem> problems;
  std::vector<std::string> variants;  ///< empty: all
  std::string strategy = std::string(default_strategy);
  std::uint64_t seed = 1;
  Protocol protocol;
  std::optional<double> budget_seconds;             ///< for the whole session
  std::optional<std::uint64_t> budget_evaluations;  ///< for the whole session
  bool resume =
      true;  ///< never measure again what the database has for this device, kernels, problem, protocol
  std::vector<Configuration> starts;  ///< tried early, for the problems that they fit
  bool warm_start = true;             ///< begin with what won at near sizes and on near devices
  bool incumbents = true;             ///< measure what is selected today, of whatever variant, first
  int finalists = 4;                  ///< the best few are measured again in turn
  int compile_threads = 0;            ///< 0: all cores
  /// Decides alone when the time budget is spent, so that a test with a clock of its own is not in a hurry.
  SessionClock now = std::chrono::steady_clock::now;
};

/// What is going on, for a progress display. Called from the session's thread.
struct TuneProgress {
  const Problem* problem = nullptr;
  std::size_t problem_index = 0;
  std::size_t problem_count = 0;
  std::uint64_t evaluated = 0;   ///< in this problem
  std::uint64_t candidates = 0;  ///< that this problem will evaluate at the most
  double elapsed_seconds = 0;
  std::optional<double> remaining_seconds;  ///< estimate for the session
  const Trial* last = nullptr;
  const Trial* best = nullptr;
};

/// Result for one problem.
struct TuneOutcome {
  Problem problem;
  std::size_t index = 0;  ///< of the problem in the request
  std::uint64_t evaluated = 0;
  std::uint64_t skipped = 0;    ///< known from before
  std::uint64_t same_plan = 0;  ///< not measured: differ from one that was in what cannot matter here
  std::uint64_t failed = 0;
  std::optional<Trial> best;  ///< of the finalists
  std::vector<Trial> ties;    ///< finalists whose difference to the best is within the noise
  std::string given_up = {};  ///< why the rest was not evaluated: a sentence; empty if nothing was given up
};

/// Runs a session. Thread-confined.
///
/// `stop`, when set by another thread or a signal handler, ends the session after the evaluation under way;
/// what is done is stored. Compile workers run ahead of the measuring thread.
[[nodiscard]] std::vector<TuneOutcome> tune(const TuneRequest& request, const Device& device,
                                            KernelStore& kernels, Evaluator& evaluator,
                                            TuningDatabase& database,
                                            const std::function<void(const TuneProgress&)>& progress,
                                            const std::atomic<bool>& stop);

}  // namespace bitune
