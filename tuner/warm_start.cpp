#include "tuner/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "tuner/finals.hpp"

namespace bitune {
namespace {

constexpr std::size_t most_starts = 4;

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

struct Ranked {
  std::tuple<int, double, int, double> rank;  ///< the lower the better
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
  std::map<decltype(place_of(std::declval<Candidate>())), double> fastest;
  for (const Candidate* candidate : usable) {
    const auto [entry, added] = fastest.emplace(place_of(*candidate), candidate->median_us);
    entry->second = std::min(entry->second, candidate->median_us);
  }

  std::vector<Ranked> ranked;
  for (const Candidate* candidate : usable) {
    if (candidate->median_us > beyond_noise * fastest.at(place_of(*candidate))) continue;
    const Problem& p = candidate->problem;
    const int otherness = (p.key != problem.key ? 2 : 0) + (p.order != problem.order ? 1 : 0);
    ranked.push_back(
        {{device_distance(device, *candidate), octaves(p.n, problem.n) + octaves(p.rows, problem.rows),
          otherness, candidate->median_us},
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
