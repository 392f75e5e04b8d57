#pragma once

/// \file
/// What a tuning session says: while it runs, and at its end.

#include <span>
#include <string>
#include <vector>

#include "cli/progress_line.hpp"
#include "tuner/session_report.hpp"

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

/// A table, a row a problem, a line for each of several devices, and one for the session.
[[nodiscard]] std::string tune_text(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

}  // namespace bitune::cli
