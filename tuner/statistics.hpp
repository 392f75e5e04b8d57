#pragma once

/// \file
/// Robust statistics of samples, and when a difference is noise.

#include <vector>

namespace bitune {

/// Median; 0 of nothing.
[[nodiscard]] double median_of(std::vector<double> samples);

/// An interval that holds the true median with about 95 % confidence.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// The notch of a box plot: median ± 1.57 * IQR / sqrt(samples) (McGill, Tukey, Larsen: Variations of Box
/// Plots, 1978), but never narrower than ± 0.25 %, as clocks and events are no finer on short sorts.
[[nodiscard]] MedianInterval median_interval(std::vector<double> samples);

/// Whether two sets of samples are a tie: their intervals overlap, the criterion that the notch was made for.
[[nodiscard]] bool is_tie(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace bitune
