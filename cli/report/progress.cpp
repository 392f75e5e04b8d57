#include "cli/report/progress.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace bitune::cli {

Convergence convergence_of(const Evidence& evidence, std::size_t most_points) {
  Convergence convergence;
  std::vector<EvaluationPoint> succeeded;
  double best = std::numeric_limits<double>::infinity();
  for (const TrialOutcome& trial : evidence.trials) {
    if (trial.finalist) {
      continue;
    }
    ++convergence.evaluations;
    if (!trial.median_us) {
      continue;
    }
    succeeded.push_back({convergence.evaluations, *trial.median_us, trial.configuration.variant});
    if (*trial.median_us < best) {
      best = *trial.median_us;
      convergence.improvements.push_back(succeeded.back());
    }
  }
  const std::size_t points = std::min(most_points, succeeded.size());
  for (std::size_t i = 0; i < points; ++i) {
    convergence.sample.push_back(std::move(succeeded[i * succeeded.size() / points]));
  }
  return convergence;
}

std::vector<FailureKind> failures_of(const Evidence& evidence) {
  std::map<std::pair<TrialStatus, std::string>, FailureKind> kinds;
  for (const TrialOutcome& trial : evidence.trials) {
    if (trial.status == TrialStatus::ok) {
      continue;
    }
    FailureKind& kind = kinds[{trial.status, trial.configuration.variant}];
    kind.status = trial.status;
    kind.variant = trial.configuration.variant;
    ++kind.count;
    kind.example = trial.id;
    kind.message = trial.message;
  }
  std::vector<FailureKind> all;
  all.reserve(kinds.size());
  for (auto& [key, kind] : kinds) {
    all.push_back(std::move(kind));
  }
  return all;
}

}  // namespace bitune::cli
