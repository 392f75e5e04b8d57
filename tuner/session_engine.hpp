#pragma once

/// \file
/// The session of session.hpp with its source of configurations given: what tests drive.

#include <atomic>
#include <functional>
#include <vector>

#include "model/device_info.hpp"
#include "tuner/problem_queue.hpp"
#include "tuner/session.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune {

/// What a session tells while it runs, on its own thread.
struct SessionReports {
  std::function<void(const TuneProgress&)> progress;  ///< may be empty
  std::function<void(TuneOutcome)> outcome;           ///< of each problem that is done
};

/// Tunes the problems that it takes from a queue, until that has no more. The request's problems and its
/// budget of evaluations are the queue's. What is thrown ends this session; the problem under way is then
/// back in the queue.
void tune_share(const TuneRequest& request, ProblemQueue& problems, const TuningSource& source,
                const DeviceInfo& device, const DeviceSoftware& software, Evaluator& evaluator,
                TuningDatabase& database, const SessionReports& reports, const std::atomic<bool>& stop);

/// As `tune`.
[[nodiscard]] std::vector<TuneOutcome> tune_with(const TuneRequest& request, const TuningSource& source,
                                                 const DeviceInfo& device, const DeviceSoftware& software,
                                                 Evaluator& evaluator, TuningDatabase& database,
                                                 const std::function<void(const TuneProgress&)>& progress,
                                                 const std::atomic<bool>& stop);

}  // namespace bitune
