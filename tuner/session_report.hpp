#pragma once

/// \file
/// What became of a session, whoever asked for it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/devices_session.hpp"

namespace bitune {

/// What one of several devices did.
struct DeviceShare {
  std::string device;
  std::size_t problems = 0;
  std::uint64_t evaluated = 0;
  std::string error;  ///< empty if it did not fail
};

[[nodiscard]] std::vector<DeviceShare> device_shares(std::span<const DeviceResult> results);

/// All problems' outcomes in the order of the request; of devices that each tuned all of them, in the
/// devices'.
[[nodiscard]] std::vector<TuneOutcome> outcomes_of(std::span<const DeviceResult> results);

/// How devices that sort one array together merge so many bytes each, and how long that takes.
struct MergeOutcome {
  std::uint64_t bytes = 0;
  std::string configuration;
  double median_us = 0;
  double read_us = 0;  ///< by reading over the link
};

/// What became of a session as a whole.
struct TuneSummary {
  std::string device;
  std::filesystem::path database;
  double seconds = 0;
  bool interrupted = false;
  std::vector<DeviceShare> shares = {};    ///< of each device
  std::vector<MergeOutcome> merging = {};  ///< of several devices, if they were tuned for that
};

/// The session as a JSON document of many lines.
[[nodiscard]] std::string tune_json(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

/// The devices' names, with commas between them.
[[nodiscard]] std::string devices_text(std::span<const DeviceResult> results);

/// A sentence on what was wrong: all that was tried failed, or a device did. Nothing if all went well.
[[nodiscard]] std::optional<std::string> failure_of(std::span<const DeviceResult> results,
                                                    std::span<const TuneOutcome> outcomes);

}  // namespace bitune
