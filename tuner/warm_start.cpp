#include "tuner/warm_start.hpp"

#include <algorithm>

#include "runtime/selection_ladder.hpp"

namespace bitune {
namespace {

constexpr std::size_t most_starts = 5;

}  // namespace

std::vector<Configuration> warm_starts(const Problem& problem, const DeviceInfo& device,
                                       const CandidateSet& candidates, const KernelDigests& current_kernels,
                                       const std::function<bool(const Configuration&)>& is_valid) {
  // Before they are ranked: what is not searched leaves nobody behind.
  CandidateSet usable = candidates;
  const auto is_unusable = [&is_valid](const Candidate& candidate) {
    return !is_valid(candidate.configuration);
  };
  std::erase_if(usable.user, is_unusable);
  std::erase_if(usable.shipped, is_unusable);

  std::vector<Configuration> starts;
  for (const Candidate* candidate : ladder_of(problem, device, usable, current_kernels)) {
    if (starts.size() == most_starts) break;
    if (std::find(starts.begin(), starts.end(), candidate->configuration) == starts.end()) {
      starts.push_back(candidate->configuration);
    }
  }
  return starts;
}

}  // namespace bitune
