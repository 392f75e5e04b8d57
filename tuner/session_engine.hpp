#pragma once

/// \file
/// The session of session.hpp with its source of configurations given: what tests drive.

#include <atomic>
#include <functional>
#include <vector>

#include "model/device_info.hpp"
#include "tuner/session.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune {

/// As `tune`.
[[nodiscard]] std::vector<TuneOutcome> tune_with(const TuneRequest& request, const TuningSource& source,
                                                 const DeviceInfo& device, const DeviceSoftware& software,
                                                 Evaluator& evaluator, TuningDatabase& database,
                                                 const std::function<void(const TuneProgress&)>& progress,
                                                 const std::atomic<bool>& stop);

}  // namespace bitune
