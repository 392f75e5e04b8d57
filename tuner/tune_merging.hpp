#pragma once

/// \file
/// Tuning of how several devices merge what lies on others.

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/device.hpp"
#include "tuner/session_report.hpp"

namespace bitune {

/// Sorts arrays over these devices by each way to merge, and stores trials
/// of what all ranks took to merge; results are verified. Nothing where they do not read each other's memory.
/// Ends early, between two measurements, once `stop` is set. \throws Error (device, database, verification)
[[nodiscard]] std::vector<MergeOutcome> tune_merging(const std::vector<std::shared_ptr<Device>>& devices,
                                                     const std::filesystem::path& database,
                                                     const std::atomic<bool>& stop);

}  // namespace bitune
