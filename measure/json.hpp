#pragma once

/// \file
/// Values of the model as JSON: what workers speak, what `--json` prints and what records are. This header
/// shows a third party's types, since composing documents is what it is for.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/clock.hpp"
#include "model/device_info.hpp"
#include "model/statistics.hpp"
#include "model/trial.hpp"

namespace bitune {

/// Objects keep the order in which their members were added: it is the order that people read.
using Json = nlohmann::ordered_json;

/// {"operation": "sort", "key": "u32", "value_bytes": 0, ..., "order": "ascending", "n": 1024, "rows": 1,
/// ...}
[[nodiscard]] Json json_of(const Problem& problem);
/// {"variant": "warp", "parameters": {"block_size_x": 256, ...}, "text": "warp(block_size_x=256,...)"}
[[nodiscard]] Json json_of(const Configuration& configuration);
[[nodiscard]] Json json_of(const Protocol& protocol);
/// All fields, and "median_us" (null if there is no sample). Times in the unit that the name ends in.
[[nodiscard]] Json json_of(const Trial& trial);
/// {"lowest_mhz": 1755, "highest_mhz": 1980, "throttled": "sw_power_cap"}; clocks are null where unknown
[[nodiscard]] Json json_of(const ClockSummary& clock);
/// {"median_us": ..., "mad_us": ..., "low_us": ..., "high_us": ...}
[[nodiscard]] Json json_of(const SampleStatistics& statistics);
[[nodiscard]] Json json_of(const DeviceInfo& info);
[[nodiscard]] Json json_of(const DeviceSoftware& software);

/// Read what `json_of` writes; unknown members are ignored.
/// \throws Error (input) that names the member that is missing or wrong.
[[nodiscard]] Problem problem_from(const Json& json);
[[nodiscard]] Configuration configuration_from(const Json& json);
[[nodiscard]] Protocol protocol_from(const Json& json);
[[nodiscard]] ClockSummary clock_from(const Json& json);
[[nodiscard]] Trial trial_from(const Json& json);
[[nodiscard]] DeviceInfo device_from(const Json& json);

/// One line of text without a line end; bytes that are not UTF-8 (compilers' logs) are replaced, never an
/// error.
[[nodiscard]] std::string line_of(const Json& json);

}  // namespace bitune
