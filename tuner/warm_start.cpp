#include "tuner/warm_start.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/problem.hpp"
#include "model/problem_class.hpp"
#include "runtime/selection_ladder.hpp"

namespace bitune {
namespace {

constexpr std::size_t most_starts = 5;

/// What was tuned, where, and with which kernels.
using Tuned = std::tuple<Problem, std::string /* device digest */, bool /* today's kernels */>;

}  // namespace

std::vector<Configuration> warm_starts(const Problem& problem, const DeviceInfo& device,
                                       const CandidateSet& candidates, const KernelDigests& current_kernels,
                                       const Searched& searched) {
  // Before they are ranked: what is not searched leaves nobody behind. What is searched does, even where it
  // does not fit this length: who is far behind it elsewhere is no good start here.
  CandidateSet usable = candidates;
  const auto is_unusable = [&searched](const Candidate& candidate) {
    return !searched.has_variant(candidate.configuration.variant);
  };
  std::erase_if(usable.user, is_unusable);
  std::erase_if(usable.shipped, is_unusable);

  struct Start {
    std::size_t place;  ///< among the valid candidates of its problem
    bool other_problem;
    bool other_shape;
    const Configuration* configuration;
  };
  std::vector<Start> ranked;
  std::map<Tuned, std::size_t> found;
  const std::string here = device.digest();
  const auto shape_of = [](const Problem& of) -> Shape { return class_of(of).problem(); };
  for (const Candidate* candidate : ladder_of(problem, device, usable, current_kernels)) {
    const Configuration& configuration = candidate->configuration;
    if (!searched.is_valid(configuration)) continue;
    const bool is_of_today = candidate->kernel_digest == current_kernels(configuration.variant);
    ranked.push_back({.place = found[{candidate->problem, candidate->device_digest, is_of_today}]++,
                      .other_problem = candidate->problem != problem || candidate->device_digest != here,
                      .other_shape = shape_of(candidate->problem) != shape_of(problem),
                      .configuration = &configuration});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Start& a, const Start& b) {
    return std::tie(a.place, a.other_problem, a.other_shape) <
           std::tie(b.place, b.other_problem, b.other_shape);
  });

  std::vector<Configuration> starts;
  for (const Start& start : ranked) {
    if (starts.size() == most_starts) break;
    if (std::find(starts.begin(), starts.end(), *start.configuration) == starts.end()) {
      starts.push_back(*start.configuration);
    }
  }
  return starts;
}

}  // namespace bitune
