#include "tuner/strategies/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace bitune {
namespace {

constexpr float first_inverse_length = 1;
constexpr std::array<float, 5> inverse_lengths = {0.1F, 0.35F, 1, 2, 4};
constexpr std::array<double, 3> noises = {1e-4, 1e-3, 1e-2};
constexpr int sweeps = 2;
constexpr double least_variance = 1e-9;

}  // namespace

GaussianProcess::GaussianProcess(std::vector<Point> points)
    : points_(std::move(points)), explained_(points_.size(), 0), mean_(points_.size(), 0) {
  scales_.inverse_lengths.assign(points_.empty() ? 0 : points_.front().size(), first_inverse_length);
}

float GaussianProcess::kernel(const Scales& scales, std::size_t a, std::size_t b) const {
  const Point& first = points_[a];
  const Point& second = points_[b];
  float square = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const float difference = (first[i] - second[i]) * scales.inverse_lengths[i];
    square += difference * difference;
  }
  const float distance = std::sqrt(5 * square);
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

void GaussianProcess::add_point(Point point) {
  points_.push_back(std::move(point));
  const std::size_t added = points_.size() - 1;
  if (points_.size() == 1) scales_.inverse_lengths.assign(points_.front().size(), first_inverse_length);
  float explained = 0;
  float mean = 0;
  for (std::size_t k = 0; k < observations_.size(); ++k) {
    Observation& observation = observations_[k];
    float value = kernel(scales_, observation.point, added);
    for (std::size_t j = 0; j < k; ++j) {
      const std::vector<float>& earlier = observations_[j].row;
      value -= earlier[observation.point] * earlier[added];
    }
    value *= static_cast<float>(1 / observation.diagonal);
    observation.row.push_back(value);
    explained += value * value;
    mean += observation.factor * value;
  }
  explained_.push_back(explained);
  mean_.push_back(mean);
}

void GaussianProcess::observe(std::size_t point) {
  observations_.push_back({.point = point, .value = std::nullopt, .row = {}});
  add_row(observations_.size() - 1);
}

void GaussianProcess::set_value(std::size_t point, double value) {
  for (Observation& observation : observations_) {
    if (observation.point == point) observation.value = value;
  }
}

void GaussianProcess::add_row(std::size_t number) {
  Observation& observation = observations_[number];
  std::vector<float>& row = observation.row;
  row.resize(points_.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = kernel(scales_, observation.point, i);
  double squares = 0;
  for (std::size_t k = 0; k < number; ++k) {
    const std::vector<float>& earlier = observations_[k].row;
    const float factor = earlier[observation.point];  // of L: this row, column k
    squares += static_cast<double>(factor) * factor;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= factor * earlier[i];
  }
  observation.diagonal = std::sqrt(std::max(1 + scales_.noise - squares, least_variance));
  const auto inverse = static_cast<float>(1 / observation.diagonal);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] *= inverse;
    explained_[i] += row[i] * row[i];
  }
}

void GaussianProcess::update() {
  double sum = 0;
  double squares = 0;
  std::size_t known = 0;
  for (const Observation& observation : observations_) {
    if (!observation.value) continue;
    ++known;
    sum += *observation.value;
    squares += *observation.value * *observation.value;
  }
  if (known == 0) return;
  const auto count = static_cast<double>(known);
  offset_ = sum / count;
  const double variance = squares / count - offset_ * offset_;
  scale_ = variance > least_variance ? std::sqrt(variance) : 1;

  std::fill(mean_.begin(), mean_.end(), 0.0F);
  for (Observation& observation : observations_) {
    observation.factor = 0;
    // What is expected of this point from the observations before it stands in mean_ now; one without a value
    // meets the expectation, and adds nothing.
    if (!observation.value) continue;
    const double expected = mean_[observation.point];
    observation.factor =
        static_cast<float>(((*observation.value - offset_) / scale_ - expected) / observation.diagonal);
    for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += observation.factor * observation.row[i];
  }
}

double GaussianProcess::deviation(std::size_t point) const {
  return scale_ * std::sqrt(std::max(1 - static_cast<double>(explained_[point]), least_variance));
}

double GaussianProcess::log_likelihood(const Scales& scales, const std::vector<std::size_t>& points,
                                       const std::vector<double>& values) const {
  const std::size_t count = points.size();
  std::vector<std::vector<double>> factor(count);
  std::vector<double> solution(count);
  double result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double>& row = factor[i];
    row.resize(i + 1);
    double residual = values[i];
    double squares = 0;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = kernel(scales, points[i], points[j]);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * factor[j][k];
      row[j] = sum / factor[j][j];
      squares += row[j] * row[j];
      residual -= row[j] * solution[j];
    }
    row[i] = std::sqrt(std::max(1 + scales.noise - squares, least_variance));
    solution[i] = residual / row[i];
    result -= 0.5 * solution[i] * solution[i] + std::log(row[i]);
  }
  return result;
}

void GaussianProcess::learn_scales(std::size_t most) {
  update();
  std::vector<std::size_t> points;
  std::vector<double> values;
  for (const Observation& observation : observations_) {
    if (!observation.value || points.size() == most) continue;
    points.push_back(observation.point);
    values.push_back((*observation.value - offset_) / scale_);
  }
  double best = log_likelihood(scales_, points, values);
  const auto try_value = [&](auto& place, auto value) {
    const auto before = std::exchange(place, value);
    const double likelihood = value == before ? best : log_likelihood(scales_, points, values);
    if (likelihood > best) {
      best = likelihood;
    } else {
      place = before;
    }
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {  // coordinate ascent
    for (float& inverse_length : scales_.inverse_lengths) {
      for (const float value : inverse_lengths) try_value(inverse_length, value);
    }
    for (const double noise : noises) try_value(scales_.noise, noise);
  }
  std::fill(explained_.begin(), explained_.end(), 0.0F);
  for (std::size_t i = 0; i < observations_.size(); ++i) add_row(i);
  update();
}

}  // namespace bitune
