#pragma once

/// \file
/// How a search went on: the best found so far over the evaluations, and what failed.

#include <cstdint>
#include <string>
#include <vector>

#include "cache/evidence.hpp"

namespace bitune::cli {

/// One evaluation, at its place (from 1) among all of the problem in the order of time.
struct EvaluationPoint {
  std::uint64_t place = 0;
  double us = 0;
  std::string variant;
};

/// The evaluations of a problem in the order of time; measuring finalists again is none.
struct Convergence {
  std::uint64_t evaluations = 0;              ///< failures included
  std::vector<EvaluationPoint> improvements;  ///< each faster than all before
  std::vector<EvaluationPoint> sample;        ///< all that succeeded, or so many of them, evenly spread
};

[[nodiscard]] Convergence convergence_of(const Evidence& evidence, std::size_t most_points);

/// Trials of one variant that failed in one way.
struct FailureKind {
  TrialStatus status = TrialStatus::invalid;
  std::string variant;
  std::uint64_t count = 0;
  std::int64_t example = 0;  ///< the newest of them
  std::string message;       ///< its message
};

/// By kind, then variant.
[[nodiscard]] std::vector<FailureKind> failures_of(const Evidence& evidence);

}  // namespace bitune::cli
