#include "tuner/incumbents.hpp"

#include <optional>
#include <vector>

namespace bitune {

Incumbents::Incumbents(const TuningSource& source, const DeviceInfo& device,
                       const std::vector<Problem>& problems, const std::filesystem::path& database)
    : source_(source), device_digest_(device.digest()) {
  for (const Problem& problem : problems) {
    const auto [entry, is_new] = candidates_.try_emplace(group_of(problem));
    if (is_new) entry->second = read_candidates(problem, database);
  }
}

std::vector<Configuration> Incumbents::of(const Problem& problem) const {
  const CandidateSet& all = candidates_.at(group_of(problem));
  const std::optional<Selection> now = source_.selected(problem, all);
  if (!now) return {};
  std::vector<Configuration> incumbents = {now->configuration};
  const bool is_tuned = now->evidence && class_of(now->evidence->problem) == class_of(problem) &&
                        now->evidence->device_digest == device_digest_;
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

}  // namespace bitune
