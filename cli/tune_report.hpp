#pragma once

/// \file
/// What a tuning session says: while it runs, and at its end.

#include <filesystem>
#include <span>
#include <string>

#include "tuner/session.hpp"

namespace bitune::cli {

/// One line: problem, bar, counts, best so far, time left.
[[nodiscard]] std::string progress_text(const TuneProgress& progress);

/// What became of a session as a whole.
struct TuneSummary {
  std::string device;
  std::filesystem::path database;
  double seconds = 0;
  bool interrupted = false;
};

/// A table, a row a problem, and a line for the session.
[[nodiscard]] std::string tune_text(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

/// The same and more as a JSON document.
[[nodiscard]] std::string tune_json(std::span<const TuneOutcome> outcomes, const TuneSummary& summary);

}  // namespace bitune::cli
