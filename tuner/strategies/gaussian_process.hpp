#pragma once

/// \file
/// Regression by a Gaussian process over a finite set of points, all of which are predicted all the time.
/// C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press, 2006: chapters 2
/// (regression), 4 (the Matérn kernel) and 5 (the marginal likelihood).

#include <cstddef>
#include <optional>
#include <vector>

namespace bitune {

/// A Gaussian process with a Matérn 5/2 kernel, a length scale for each dimension, and noise.
///
/// K = L Lᵀ is the covariance of the n observed points. The rows of V = L⁻¹ k(observed, all) are kept for all
/// N points. Then an observation adds a row, which costs O(n N). No row depends on the observed values, so a
/// value can be corrected in O(n N), too.
class GaussianProcess {
 public:
  using Point = std::vector<float>;  ///< coordinates, each in a range of about 1

  /// All points of one dimension. Memory: 4 bytes for each pair of a point and an observation.
  explicit GaussianProcess(std::vector<Point> points);

  /// Adds a point, after all others; costs O(n^2).
  void add_point(Point point);
  /// Adds an observation of a point that has none. Until it has a value, it is taken to be what is expected:
  /// predictions stay, and only their variance shrinks.
  void observe(std::size_t point);
  /// Sets the value of an observed point.
  void set_value(std::size_t point, double value);
  /// To be called after values were set, before predictions are read.
  void update();
  /// Chooses length scales and noise by the marginal likelihood of the first `most` known values, and starts
  /// again from these.
  void learn_scales(std::size_t most);

  [[nodiscard]] double mean(std::size_t point) const { return offset_ + scale_ * mean_[point]; }
  [[nodiscard]] double deviation(std::size_t point) const;

 private:
  struct Scales {
    std::vector<float> inverse_lengths;
    double noise = 1e-3;  ///< variance, of a signal of variance 1
  };
  struct Observation {
    std::size_t point;
    std::optional<double> value;
    double diagonal = 0;     ///< of L
    float factor = 0;        ///< of the row, in the mean
    std::vector<float> row;  ///< of V
  };

  [[nodiscard]] float kernel(const Scales& scales, std::size_t a, std::size_t b) const;
  [[nodiscard]] double log_likelihood(const Scales& scales, const std::vector<std::size_t>& points,
                                      const std::vector<double>& values) const;
  void add_row(std::size_t number);

  std::vector<Point> points_;
  Scales scales_;
  std::vector<Observation> observations_;
  std::vector<float> explained_;  ///< by point: the sum of squares of V's column
  std::vector<float> mean_;       ///< by point, of standardised values
  double offset_ = 0;             ///< mean of the values
  double scale_ = 1;              ///< standard deviation of the values
};

}  // namespace bitune
