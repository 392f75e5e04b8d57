#include "cli/report/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace bitune::cli {
namespace {

constexpr double most_bins = 48;

}  // namespace

Distribution distribution_of(std::span<const Standing> standings) {
  Distribution distribution;
  if (standings.empty()) {
    return distribution;
  }
  std::vector<double> times;
  times.reserve(standings.size());
  for (const Standing& standing : standings) {
    times.push_back(standing.us);
  }
  std::sort(times.begin(), times.end());
  distribution.low_us = times.front();
  distribution.high_us = times.back();
  distribution.median_us = times[(times.size() - 1) / 2];

  const double span = distribution.low_us > 0 ? std::log(distribution.high_us / distribution.low_us) : 0;
  // Two bins a square root, so that a bin of an even distribution would hold many.
  const double wanted = std::clamp(2 * std::sqrt(static_cast<double>(times.size())), 1.0, most_bins);
  distribution.bins = span > 0 ? static_cast<std::size_t>(wanted) : 1;
  for (const Standing& standing : standings) {
    auto& counts = distribution.counts[standing.configuration->variant];
    counts.resize(distribution.bins);
    const double part = span > 0 ? std::log(standing.us / distribution.low_us) / span : 0;
    const auto bin = static_cast<std::size_t>(std::max(0.0, part * static_cast<double>(distribution.bins)));
    ++counts[std::min(bin, distribution.bins - 1)];
  }
  return distribution;
}

std::uint64_t count_within(std::span<const Standing> standings, double us) {
  return static_cast<std::uint64_t>(
      std::count_if(standings.begin(), standings.end(), [us](const Standing& one) { return one.us <= us; }));
}

}  // namespace bitune::cli
