#pragma once

/// \file
/// A session from the names of its devices to its summary: what the command and the C library both do.

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/session_report.hpp"

namespace bitune {

/// Opens each device. `option`: what named them, for the message.
/// \throws Error (usage) for a GPU that is named twice, else as open_device
[[nodiscard]] std::vector<std::shared_ptr<Device>> open_devices(std::span<const std::string> selectors,
                                                                std::string_view option);

/// What became of a session.
struct WholeSession {
  std::vector<DeviceResult> results;
  std::vector<TuneOutcome> outcomes;
  TuneSummary summary;
};

/// Runs the session on these devices, which share the cores that compile. A database that cannot be written
/// is refused before any work. Where there is one device, and it fails, this throws what it threw.
[[nodiscard]] WholeSession run_session(TuneRequest request,
                                       const std::vector<std::shared_ptr<Device>>& devices,
                                       const DevicesOptions& options, const std::atomic<bool>& stop,
                                       const std::function<void(const DevicesProgress&)>& progress);

}  // namespace bitune
