#include "tuner/incumbents.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace bitune {

Incumbents::Incumbents(const TuningSource& source, const DeviceInfo& device,
                       const std::vector<Problem>& problems, const std::filesystem::path& database)
    : source_(source), device_digest_(device.digest()) {
  for (const Problem& problem : problems) {
    const bool is_read = std::any_of(candidates_.begin(), candidates_.end(), [&problem](const auto& entry) {
      return comparable(entry.first, problem);
    });
    if (!is_read) candidates_.emplace_back(problem, read_candidates(problem, database));
  }
}

std::vector<Configuration> Incumbents::of(const Problem& problem) const {
  const CandidateSet& all = candidates(problem);
  const std::optional<Selection> now = source_.selected(problem, all);
  if (!now) return {};
  std::vector<Configuration> incumbents = {now->configuration};
  const bool is_tuned =
      now->evidence && now->evidence->problem == problem && now->evidence->device_digest == device_digest_;
  if (is_tuned) return incumbents;

  CandidateSet of_others = all;
  std::erase_if(of_others.user,
                [this](const Candidate& candidate) { return candidate.device_digest == device_digest_; });
  const std::optional<Selection> untuned = source_.selected(problem, of_others);
  if (untuned && untuned->configuration != now->configuration) {
    incumbents.push_back(untuned->configuration);
  }
  return incumbents;
}

const CandidateSet& Incumbents::candidates(const Problem& problem) const {
  const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&problem](const auto& entry) { return comparable(entry.first, problem); });
  if (found == candidates_.end()) throw std::logic_error("incumbents of a problem that is not tuned");
  return found->second;
}

}  // namespace bitune
