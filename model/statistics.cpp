#include "model/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace bitune {
namespace {

constexpr double resolution = 0.0025;  // of the median, on either side

/// Precondition: there is a sample.
double quantile_of_sorted(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return std::min(sorted[below] + weight * (sorted[above] - sorted[below]), sorted[above]);
}

/// As Trial::median_us has been stored from the first day: the mean of the two in the middle.
/// Precondition: there is a sample.
double median_of_sorted(const std::vector<double>& sorted) {
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

/// The median of a resample that drew each of the sorted samples as often as `drawn` says.
double median_of_drawn(const std::vector<double>& sorted, const std::vector<std::uint32_t>& drawn) {
  const std::size_t lower = (sorted.size() - 1) / 2;
  const std::size_t upper = sorted.size() / 2;
  std::size_t before = 0;
  std::size_t at = 0;
  while (before + drawn[at] <= lower) before += drawn[at++];
  const double first = sorted[at];
  while (before + drawn[at] <= upper) before += drawn[at++];
  return (first + sorted[at]) / 2;
}

/// No narrower than what can be told apart.
MedianInterval resolved(MedianInterval interval) {
  interval.low = std::min(interval.low, interval.median * (1 - resolution));
  interval.high = std::max(interval.high, interval.median * (1 + resolution));
  return interval;
}

}  // namespace

double quantile_of(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return quantile_of_sorted(samples, fraction);
}

double median_of(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
}

double median_absolute_deviation(const std::vector<double>& samples) {
  const double median = median_of(samples);
  std::vector<double> distances = samples;
  for (double& distance : distances) distance = std::abs(distance - median);
  return median_of(std::move(distances));
}

double MedianInterval::relative_half_width() const noexcept {
  return median > 0 ? (high - low) / 2 / median : std::numeric_limits<double>::infinity();
}

MedianInterval median_interval(const std::vector<double>& samples, const Bootstrap& how) {
  if (samples.empty()) return {};
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const double median = median_of_sorted(sorted);
  if (sorted.front() == sorted.back()) return {median, median, median};

  // The standard says what this generator draws, but not what its distributions make of it.
  std::mt19937_64 random(how.seed);
  const auto count = static_cast<std::uint64_t>(sorted.size());
  const auto draw = [&random, count] { return ((random() >> 32) * count) >> 32; };
  std::vector<double> medians(static_cast<std::size_t>(std::max(how.resamples, 1)));
  std::vector<std::uint32_t> drawn(sorted.size());
  for (double& resampled : medians) {
    std::fill(drawn.begin(), drawn.end(), 0);
    for (std::uint64_t i = 0; i < count; ++i) ++drawn[draw()];
    resampled = median_of_drawn(sorted, drawn);
  }
  std::sort(medians.begin(), medians.end());
  const double tail = (1 - how.confidence) / 2;
  return {median, std::min(quantile_of_sorted(medians, tail), median),
          std::max(quantile_of_sorted(medians, 1 - tail), median)};
}

double coverage_of(std::vector<double> samples, double low, double high) {
  std::sort(samples.begin(), samples.end());
  const auto first = std::lower_bound(samples.begin(), samples.end(), low);
  const auto behind = std::upper_bound(samples.begin(), samples.end(), high);
  const std::ptrdiff_t below = first - samples.begin();    // samples below the interval
  const std::ptrdiff_t within = behind - samples.begin();  // samples that are not above it
  const auto count = static_cast<double>(samples.size());
  // Of so many samples, `k` are below the true median with the binomial probability of k heads.
  double log_probability = -count * std::log(2.0);
  double sum = 0;
  for (std::ptrdiff_t k = 0; k < within; ++k) {
    if (k > below) sum += std::exp(log_probability);
    log_probability += std::log((count - static_cast<double>(k)) / static_cast<double>(k + 1));
  }
  return std::min(sum, 1.0);
}

bool is_tie(const MedianInterval& a, const MedianInterval& b) {
  const MedianInterval first = resolved(a);
  const MedianInterval second = resolved(b);
  return first.low <= second.high && second.low <= first.high;
}

bool is_tie(const std::vector<double>& a, const std::vector<double>& b) {
  return is_tie(median_interval(a), median_interval(b));
}

std::optional<SampleStatistics> statistics_of(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  const MedianInterval interval = median_interval(samples);
  return SampleStatistics{interval.median, median_absolute_deviation(samples), interval.low, interval.high};
}

}  // namespace bitune
