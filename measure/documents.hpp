#pragma once

/// \file
/// What `--json` prints, and the C library gives: devices, and what a tuning database has.

#include "cache/tuning_database.hpp"
#include "measure/json.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// {"devices": [{"selector", "info", "software"}, ...], "driver", "nvrtc", "host_compiler", "problems"}
[[nodiscard]] Json json_of(const DeviceReport& report);

/// A trial as a document: its id, device, software and protocol before what json_of(Trial) says.
[[nodiscard]] Json json_of_row(const TrialRow& row);

/// {"database": path, "problems": [{"device", "device_digest", "problem", "trials", "ok", "best"}, ...]}
[[nodiscard]] Json problems_document(const TuningDatabase& database, const TrialFilter& filter);

/// {"database": path, "best": [a row, ...]}
[[nodiscard]] Json best_document(const TuningDatabase& database, const TrialFilter& filter);

/// {"database": path, "trials": [a row, ...]}, the newest first
[[nodiscard]] Json trials_document(const TuningDatabase& database, const TrialFilter& filter);

/// {"database": path, "devices": [{"id", "info", "software", "trials", "last_seen"}, ...]}
[[nodiscard]] Json devices_document(const TuningDatabase& database);

}  // namespace bitune
