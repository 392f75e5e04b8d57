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

/// What was tuned, and where.
using Tuned = std::pair<Problem, std::string /* device digest */>;

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
    bool other_shape;
    const Configuration* configuration;
  };
  std::vector<Start> ranked;
  std::map<Tuned, std::size_t> found;
  const auto shape_of = [](const Problem& of) -> Shape { return class_of(of).problem(); };
  for (const Candidate* candidate : ladder_of(problem, device, usable, current_kernels)) {
    if (!searched.is_valid(candidate->configuration)) continue;
    ranked.push_back({found[{candidate->problem, candidate->device_digest}]++,
                      shape_of(candidate->problem) != shape_of(problem), &candidate->configuration});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Start& a, const Start& b) {
    return std::tie(a.place, a.other_shape) < std::tie(b.place, b.other_shape);
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
