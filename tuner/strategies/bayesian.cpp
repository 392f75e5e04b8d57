// Bayesian optimisation with expected improvement: D. R. Jones, M. Schonlau, W. J. Welch, "Efficient Global
// Optimization of Expensive Black-Box Functions", Journal of Global Optimization 13, 1998. The model is of
// the logarithm of the time. What is under way is taken to turn out as expected, so that many may be under
// way at once (the "kriging believer": D. Ginsbourger, R. Le Riche, L. Carraro, 2010).

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "tuner/strategies/gaussian_process.hpp"
#include "tuner/strategies/strategies.hpp"
#include "tuner/strategies/walker.hpp"

namespace bitune {
namespace {

constexpr std::size_t drawn_first = 6;          // besides the starts, before the model is asked
constexpr std::size_t most_observations = 400;  // the model's cost grows with each
constexpr std::size_t most_to_learn = 80;       // scales from so many
constexpr double learn_again = 1.4;             // when there are so many times the observations
constexpr std::size_t nearby_every = 3;         // of so many proposals one is next to the fastest

/// Coordinates in [0, 1]: the place of each value among all values of parameters of this name; 0.5 where the
/// variant has no such parameter. And one dimension a variant.
std::vector<GaussianProcess::Point> points_of(const DomainView& view) {
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const Family& family : view.families()) {
    for (std::size_t k = 0; k < family.names.size(); ++k) {
      std::vector<std::int64_t>& all = values[family.names[k]];
      all.insert(all.end(), family.values[k].begin(), family.values[k].end());
    }
  }
  std::map<std::string, std::size_t> dimensions;
  for (auto& [name, all] : values) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() > 1) dimensions.emplace(name, dimensions.size());
  }
  const std::size_t variants = view.families().size() > 1 ? view.families().size() : 0;
  std::vector<GaussianProcess::Point> points(view.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Family& family = view.families()[view.family_of(i)];
    points[i].assign(dimensions.size() + variants, 0.5F);
    for (std::size_t k = 0; k < family.names.size(); ++k) {
      const auto dimension = dimensions.find(family.names[k]);
      if (dimension == dimensions.end()) continue;
      const std::vector<std::int64_t>& all = values[family.names[k]];
      const auto place = std::lower_bound(all.begin(), all.end(), family.values[k][view.places(i)[k]]);
      points[i][dimension->second] =
          static_cast<float>(place - all.begin()) / static_cast<float>(all.size() - 1);
    }
    if (variants > 0) points[i][dimensions.size() + view.family_of(i)] = 1;
  }
  return points;
}

class BayesianStrategy final : public Walker {
 public:
  BayesianStrategy(const SearchDomain& domain, std::uint64_t seed)
      : Walker(domain, seed), model_(points_of(view())), all_(view().size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  void report(std::size_t index, std::optional<double> time_us) override {
    if (known_ == most_observations) return;
    if (std::find(observed_.begin(), observed_.end(), index) == observed_.end()) observe(index);
    if (time_us) {
      const double value = std::log(std::max(*time_us, 1e-6));
      worst_ = std::max(worst_, value);
      if (value < best_) {
        best_ = value;
        near_fastest_ = view().neighbours(index);
      }
      model_.set_value(index, value);
    } else {
      failures_.push_back(index);
    }
    ++known_;
    stale_ = true;
  }

 protected:
  std::optional<std::size_t> next() override {
    if (drawn_ < drawn_first || known_ < drawn_first) {
      ++drawn_;
      return std::nullopt;
    }
    if (observed_.size() >= most_observations || best_ > worst_) return std::nullopt;
    if (stale_) learn();
    // The model stays unsure of a large space for longer than a session lasts: what is next to the fastest
    // so far gets its turn besides.
    std::optional<std::size_t> chosen;
    if (++turn_ % nearby_every == 0) chosen = most_promising(near_fastest_);
    if (!chosen) chosen = most_promising(all_);
    if (chosen) observe(*chosen);
    return chosen;
  }

 private:
  /// The one with the largest expected improvement, of those that were not proposed yet.
  [[nodiscard]] std::optional<std::size_t> most_promising(const std::vector<std::size_t>& indices) const {
    std::optional<std::size_t> chosen;
    double most = -1;
    for (const std::size_t i : indices) {
      if (is_proposed(i)) continue;
      const double improvement = expected_improvement(i);
      if (improvement > most) {
        most = improvement;
        chosen = i;
      }
    }
    return chosen;
  }

  void observe(std::size_t index) {
    observed_.push_back(index);
    model_.observe(index);
  }

  void learn() {
    for (const std::size_t failure : failures_) model_.set_value(failure, worst_);
    if (learnt_ < most_to_learn &&
        static_cast<double>(known_) >= learn_again * static_cast<double>(learnt_)) {
      model_.learn_scales(most_to_learn);
      learnt_ = known_;
    } else {
      model_.update();
    }
    stale_ = false;
  }

  [[nodiscard]] double expected_improvement(std::size_t index) const {
    const double deviation = model_.deviation(index);
    const double gain = (best_ - model_.mean(index)) / deviation;
    const double density = std::exp(-0.5 * gain * gain) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double probability = 0.5 * std::erfc(-gain / std::numbers::sqrt2);
    return deviation * (gain * probability + density);
  }

  GaussianProcess model_;
  std::vector<std::size_t> observed_;
  std::vector<std::size_t> all_;
  std::vector<std::size_t> near_fastest_;  ///< neighbours of the fastest known
  std::size_t drawn_ = 0;
  std::size_t turn_ = 0;
  std::size_t known_ = 0;
  std::size_t learnt_ = 0;  ///< observations known when scales were learnt
  bool stale_ = false;
  double best_ = std::numeric_limits<double>::infinity();
  double worst_ = -std::numeric_limits<double>::infinity();
  std::vector<std::size_t> failures_;  ///< taken to be as bad as the slowest
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<BayesianStrategy>(domain, seed);
}

}  // namespace bitune
