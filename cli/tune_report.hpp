#pragma once

/// \file
/// What a tuning session says: while it runs, and at its end.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/progress_line.hpp"
#include "tuner/devices_session.hpp"

namespace bitune::cli {

/// One line: problem, bar, counts, best so far, time left.
[[nodiscard]] std::string progress_text(const TuneProgress& progress);

/// The one line that all devices of a session share. One device has that of progress_text.
/// Several have how many problems are done, and what each is at. Called by one thread at a time.
class TuneDisplay {
 public:
  explicit TuneDisplay(std::size_t devices) : parts_(devices) {}
  void show(const DevicesProgress& progress);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::vector<std::string> parts_;  ///< what each device is at
};

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

/// What became of a session as a whole.
struct TuneSummary {
  std::string device;
  std::filesystem::path database;
  double seconds = 0;
  bool interrupted = false;
  std::vector<DeviceShare> shares = {};  ///< of each device
};

/// A table, a row a problem, a line for each of several devices, and one for the session.
[[nodiscard]] std::string tune_text(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

/// The same and more as a JSON document.
[[nodiscard]] std::string tune_json(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

}  // namespace bitune::cli
