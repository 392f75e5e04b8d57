#include "multi/split/sampled_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bitune::multi {
namespace {

/// Of all ranks. More would take longer to sort than the keys at the cuts, which they make fewer.
constexpr std::uint64_t most_sampled = 1 << 16;
/// Small arrays are sampled, too, and not read as wholes.
constexpr std::uint64_t least_spacing = 4;
/// Standard deviations that a cut may be away from where the samples have it.
constexpr double deviations = 4;

/// Keys that there may be between so many samples, whichever rank has them: more than there ever are, if the
/// cut is where it was taken to be.
std::uint64_t room_of(std::uint64_t samples, std::uint64_t ranks, std::uint64_t spacing) {
  constexpr double deviations_of_keys = 6;
  const double spare = deviations_of_keys * std::sqrt(static_cast<double>(samples)) + 8;
  return (samples + ranks + static_cast<std::uint64_t>(spare)) * spacing;
}

}  // namespace

std::uint64_t Sampling::total() const noexcept { return before(counts.size()); }

std::uint64_t Sampling::before(std::size_t rank) const noexcept {
  return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rank),
                         std::uint64_t{0});
}

Sampling sampling_of(const std::vector<std::uint64_t>& lengths) {
  const std::uint64_t all = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  Sampling sampling;
  sampling.spacing = std::max((all + most_sampled - 1) / most_sampled, least_spacing);
  for (const std::uint64_t length : lengths) sampling.counts.push_back(length / sampling.spacing);
  return sampling;
}

std::optional<std::vector<std::uint64_t>> sampled_cuts(const Sampling& sampling,
                                                       const std::vector<std::uint64_t>& results) {
  const auto samples = static_cast<double>(sampling.total());
  const double keys = static_cast<double>(
      std::max<std::uint64_t>(std::accumulate(results.begin(), results.end(), std::uint64_t{0}), 1));
  std::vector<std::uint64_t> cuts;
  double before = 0;
  for (std::size_t rank = 0; rank + 1 < results.size(); ++rank) {
    before += static_cast<double>(results[rank]);
    const double share = before / keys;
    // What no rank has a whole spacing of is not sampled.
    const double margin =
        deviations * std::sqrt(samples * share * (1 - share)) + static_cast<double>(results.size()) + 2;
    const double first = std::floor(samples * share - margin);
    const double behind = std::ceil(samples * share + margin);
    cuts.push_back(first < 1 ? 0 : static_cast<std::uint64_t>(first));
    cuts.push_back(static_cast<std::uint64_t>(std::min(behind, samples + 1)));
  }
  const bool meet = std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) != cuts.end();
  if (meet) return std::nullopt;
  return cuts;
}

std::uint64_t cut_room(const Sampling& sampling, const std::vector<std::uint64_t>& cuts) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); i += 2) most = std::max(most, cuts[i + 1] - cuts[i]);
  return room_of(most, sampling.counts.size(), sampling.spacing);
}

std::uint64_t sorted_room(const Sampling& sampling, const std::vector<std::uint64_t>& cuts, std::size_t rank,
                          std::uint64_t result) {
  const std::uint64_t at_cuts = (rank != 0 ? 1 : 0) + (2 * rank < cuts.size() ? 1 : 0);
  return result + at_cuts * cut_room(sampling, cuts);
}

std::optional<std::vector<SortedPart>> sorted_parts(const std::vector<ClassCounts>& counts,
                                                    const std::vector<std::uint64_t>& results) {
  const std::size_t ranks = results.size();
  const auto of_class = [&](std::size_t number) {
    std::uint64_t all = 0;
    for (const ClassCounts& of_rank : counts) all += of_rank[number];
    return all;
  };
  std::vector<SortedPart> parts(ranks);
  std::uint64_t before = 0;  // keys before the class
  std::uint64_t cut = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t sure = of_class(sure_class(rank));
    parts[rank].keys += sure;
    before += sure;
    if (rank + 1 == ranks) break;
    cut += results[rank];
    const std::uint64_t at_cut = of_class(cut_class(rank));
    if (cut < before || cut > before + at_cut) return std::nullopt;
    parts[rank].keys += at_cut;
    parts[rank + 1] = {at_cut, cut - before};
    before += at_cut;
  }
  return parts;
}

}  // namespace bitune::multi
