#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bitune {
namespace {

constexpr double notch_factor = 1.57;
constexpr double resolution = 0.0025;  // of the median, on either side

/// Quantile of sorted samples by linear interpolation. Precondition: there is one.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

}  // namespace

double median_of(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

MedianInterval median_interval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const double median = quantile(samples, 0.5);
  const double spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  const double half =
      std::max(notch_factor * spread / std::sqrt(static_cast<double>(samples.size())), resolution * median);
  return {median, median - half, median + half};
}

bool is_tie(const std::vector<double>& a, const std::vector<double>& b) {
  const MedianInterval first = median_interval(a);
  const MedianInterval second = median_interval(b);
  return first.low <= second.high && second.low <= first.high;
}

}  // namespace bitune
