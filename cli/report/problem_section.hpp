#pragma once

/// \file
/// What the report says of one problem on one device.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cache/tuning_database.hpp"
#include "cli/report/comparison.hpp"
#include "cli/report/groups.hpp"
#include "measure/json.hpp"

namespace bitune::cli {

/// A problem of the report, and what is needed to compare it with its neighbours.
struct ProblemSection {
  Problem problem;
  Json json;                            ///< what the page's scripts draw
  std::map<std::string, TimeAtN> best;  ///< of each variant that has a valid configuration
  std::optional<TunedProblem> tuned;    ///< nothing if no configuration is valid
};

/// Reads the evidence and the samples of the best few trials, and reduces them. The search space and
/// `most_evaluations`, the points of its convergence, bound the size of the result; the number of trials does
/// not.
[[nodiscard]] ProblemSection problem_section(const TuningDatabase& database, const std::string& device_digest,
                                             const Problem& problem, std::size_t most_evaluations);

}  // namespace bitune::cli
