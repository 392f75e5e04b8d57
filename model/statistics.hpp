#pragma once

/// \file
/// Robust statistics of samples, and when a difference is noise. All are pure functions; samples come in any
/// order and in any unit.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bitune {

/// Quantile of samples by linear interpolation between the two nearest of them (definition 7 of Hyndman and
/// Fan: Sample Quantiles in Statistical Packages, 1996; what NumPy does); 0 of nothing. Precondition:
/// `fraction` is from 0 to 1.
[[nodiscard]] double quantile_of(std::vector<double> samples, double fraction);

/// Median; 0 of nothing.
[[nodiscard]] double median_of(std::vector<double> samples);

/// Median of the distances from the median (MAD), as it is: not scaled to a standard deviation. 0 of nothing.
[[nodiscard]] double median_absolute_deviation(const std::vector<double>& samples);

/// How an interval of the median is found.
struct Bootstrap {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 1;  ///< the same samples and the same seed give the same interval, everywhere
};

/// A median, and an interval that is to hold the true one. How sure that is: `coverage_of`.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;

  /// Half the interval's width as a part of the median: 0.01 is "± 1 %". Infinite if the median is 0.
  [[nodiscard]] double relative_half_width() const noexcept;
};

/// The percentile bootstrap (Efron: Bootstrap Methods, 1979). As many samples as there are, are drawn from
/// them with replacement, many times; each draw has a median. The interval holds the middle of these medians.
/// All zero for no samples; as wide as the samples for fewer than six.
[[nodiscard]] MedianInterval median_interval(const std::vector<double>& samples, const Bootstrap& how = {});

/// With what probability an interval of the samples holds the true median, at least: of independent samples
/// of any one distribution, the k-th smallest lies below the median if more than k of n tosses of a coin are
/// heads. The range of three samples has 0.75; the bootstrap needs dozens of samples to come near the
/// confidence that it was asked for. 0 of fewer than two samples.
[[nodiscard]] double coverage_of(std::vector<double> samples, double low, double high);

/// Whether two sets of samples, or what is known of them, are a tie: the intervals of their medians overlap.
/// No interval counts as narrower than ± 0.25 %: on short sorts clocks and events are no finer.
[[nodiscard]] bool is_tie(const std::vector<double>& a, const std::vector<double>& b);
[[nodiscard]] bool is_tie(const MedianInterval& a, const MedianInterval& b);

/// What is kept of samples besides the samples.
struct SampleStatistics {
  double median = 0;
  double mad = 0;   ///< median absolute deviation
  double low = 0;   ///< of the median's interval
  double high = 0;  ///< of the median's interval

  bool operator==(const SampleStatistics&) const = default;
};

/// Nothing of no samples.
[[nodiscard]] std::optional<SampleStatistics> statistics_of(const std::vector<double>& samples);

}  // namespace bitune
