#include "tuner/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "model/standing.hpp"
#include "tuner/finals.hpp"

namespace bitune {
namespace {

constexpr std::size_t most_starts = 5;

int device_distance(const DeviceInfo& here, const Candidate& candidate) {
  if (candidate.device_digest == here.digest()) return 0;
  if (candidate.device.compute_major != here.compute_major) return 3;
  return candidate.device.compute_minor == here.compute_minor ? 1 : 2;
}

/// |log2 ratio| of lengths or rows; none of both is zero for long: 0 counts as 1.
double octaves(std::uint64_t a, std::uint64_t b) {
  const auto of = [](std::uint64_t number) {
    return std::log2(static_cast<double>(std::max<std::uint64_t>(number, 1)));
  };
  return std::abs(of(a) - of(b));
}

/// How far what won there is from winning here, in octaves of the length: half of one for another type of
/// keys of that width, which takes the same kernels but for encoding them, and most of one for a variant that
/// did not win, so that it does not take the place of those that did.
double distance(const Problem& here, const Candidate& candidate, bool is_best) {
  const Problem& there = candidate.problem;
  return octaves(there.n, here.n) + octaves(there.rows, here.rows) + (there.key != here.key ? 0.5 : 0) +
         (there.order != here.order ? 0.25 : 0) + (is_best ? 0 : 0.875);
}

struct Ranked {
  std::tuple<int, double, TrialRank> rank;  ///< the lower the better
  const Candidate* candidate;
};

}  // namespace

std::vector<Configuration> warm_starts(const Problem& problem, const DeviceInfo& device,
                                       const CandidateSet& candidates,
                                       const std::function<bool(const Configuration&)>& is_valid) {
  std::vector<const Candidate*> usable;
  for (const auto* source : {&candidates.user, &candidates.shipped}) {
    for (const Candidate& candidate : *source) {
      if (candidate.device.kind == device.kind && is_valid(candidate.configuration)) {
        usable.push_back(&candidate);
      }
    }
  }
  const auto place_of = [](const Candidate& candidate) {
    const Problem& p = candidate.problem;
    return std::tuple{candidate.device_digest, p.key, p.order, p.n, p.rows};
  };
  std::map<decltype(place_of(std::declval<Candidate>())), TrialRank> bests;
  for (const Candidate* candidate : usable) {
    const auto [entry, added] = bests.emplace(place_of(*candidate), candidate->rank());
    entry->second = std::min(entry->second, candidate->rank());
  }

  std::vector<Ranked> ranked;
  for (const Candidate* candidate : usable) {
    const TrialRank& best = bests.at(place_of(*candidate));
    if (candidate->median_us > beyond_noise * best.median_us) continue;
    const bool is_best = !(best < candidate->rank());
    ranked.push_back(
        {{device_distance(device, *candidate), distance(problem, *candidate, is_best), candidate->rank()},
         candidate});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  std::vector<Configuration> starts;
  for (const Ranked& entry : ranked) {
    const Configuration& configuration = entry.candidate->configuration;
    if (starts.size() == most_starts) break;
    if (std::find(starts.begin(), starts.end(), configuration) == starts.end()) {
      starts.push_back(configuration);
    }
  }
  return starts;
}

}  // namespace bitune
