#include "multi/cut_search.hpp"

#include <algorithm>
#include <numeric>

namespace bitune::multi {
namespace {

std::uint64_t total_of(const std::vector<std::uint64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

}  // namespace

CutSearch::CutSearch(const std::vector<std::uint64_t>& lengths, std::uint64_t rank, const KeyRules& rules,
                     std::uint64_t samples)
    : rank_(rank), rules_(rules), samples_(samples) {
  for (const std::uint64_t length : lengths) left_.push_back({0, length});
  if (rank == 0 || rank == total_of(lengths)) {  // no key need be looked at
    for (ElementRange& run : left_) (rank == 0 ? run.end : run.begin) = rank == 0 ? 0 : run.end;
    done_ = true;
  }
}

std::uint64_t CutSearch::spacing() const noexcept {
  std::uint64_t longest = 0;
  for (const ElementRange& run : left_) longest = std::max(longest, run.size());
  return std::max<std::uint64_t>((longest + samples_ - 1) / samples_, 1);
}

void CutSearch::narrow(const std::byte* keys, const std::vector<std::uint64_t>& begins) {
  const std::uint64_t every = spacing();
  std::vector<ElementRange> samples;
  std::uint64_t count = 0;
  for (std::size_t run = 0; run < left_.size(); ++run) {
    samples.push_back({begins[run], begins[run] + sample_count(run)});
    count += sample_count(run);
  }
  const auto samples_before = [&](std::uint64_t rank) {
    auto cuts = cut_runs(keys, samples, rules_, rank);
    for (std::size_t run = 0; run < cuts.size(); ++run) cuts[run] -= samples[run].begin;
    return cuts;
  };
  if (every == 1) {
    const auto before = samples_before(rank_);
    for (std::size_t run = 0; run < left_.size(); ++run) {
      left_[run].begin += before[run];
      left_[run].end = left_[run].begin;
    }
    done_ = true;
    return;
  }
  // The s-th sample of all has s * every keys up to it, itself included, and in each other run at most
  // every - 1 more. So the first `inside` samples are before the cuts, whatever lies between samples. And the
  // sample behind the first `outside` ones is not.
  const std::uint64_t between = (left_.size() - 1) * (every - 1);
  const std::uint64_t inside = rank_ < between ? 0 : std::min((rank_ - between) / every, count);
  const std::uint64_t outside = std::min(rank_ / every, count);
  const auto low = samples_before(inside);
  const auto high = samples_before(outside);
  for (std::size_t run = 0; run < left_.size(); ++run) {
    ElementRange& left = left_[run];
    left.end = std::min(left.end, left.begin + (high[run] + 1) * every - 1);
    left.begin += low[run] * every;
    rank_ -= low[run] * every;
  }
}

std::vector<std::uint64_t> CutSearch::cuts() const {
  std::vector<std::uint64_t> cuts;
  for (const ElementRange& run : left_) cuts.push_back(run.begin);
  return cuts;
}

}  // namespace bitune::multi
