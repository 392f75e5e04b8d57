#include "tuner/evaluator.hpp"

#include "model/timestamp.hpp"
#include "runtime/kernel_sources.hpp"

namespace bitune {

Trial begun_trial(const Problem& problem, const Configuration& configuration) {
  Trial trial;
  trial.problem = problem;
  trial.configuration = configuration;
  trial.kernel_digest = kernel_sources_digest(configuration.variant);
  trial.timestamp = timestamp_now();
  return trial;
}

}  // namespace bitune
