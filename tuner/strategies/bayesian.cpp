// Bayesian optimisation with expected improvement: D. R. Jones, M. Schonlau, W. J. Welch, "Efficient Global
// Optimization of Expensive Black-Box Functions", Journal of Global Optimization 13, 1998. The model is of
// the logarithm of the time. What is under way is taken to turn out as expected, so that many may be under
// way at once (the "kriging believer": D. Ginsbourger, R. Le Riche, L. Carraro, 2010).

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <unordered_map>
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
constexpr std::size_t most_modelled =
    8192;  // configurations, besides the starts and what is next to the fastest

/// Where configurations lie for the model. Coordinates in [0, 1]: the place of each value among all values of
/// parameters of this name; 0.5 where the variant has no such parameter. And one dimension a variant.
class Coordinates {
 public:
  explicit Coordinates(const DomainView& view) : view_(view) {
    for (const Family& family : view.families()) {
      for (std::size_t k = 0; k < family.names.size(); ++k) {
        std::vector<std::int64_t>& all = values_[family.names[k]];
        all.insert(all.end(), family.values[k].begin(), family.values[k].end());
      }
    }
    for (auto& [name, all] : values_) {
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      if (all.size() > 1) dimensions_.emplace(name, dimensions_.size());
    }
  }

  [[nodiscard]] GaussianProcess::Point operator()(std::size_t index) const {
    const std::size_t variants = view_.families().size() > 1 ? view_.families().size() : 0;
    const Family& family = view_.families()[view_.family_of(index)];
    GaussianProcess::Point point(dimensions_.size() + variants, 0.5F);
    for (std::size_t k = 0; k < family.names.size(); ++k) {
      const auto dimension = dimensions_.find(family.names[k]);
      if (dimension == dimensions_.end()) continue;
      const std::vector<std::int64_t>& all = values_.at(family.names[k]);
      const auto place = std::lower_bound(all.begin(), all.end(), family.values[k][view_.places(index)[k]]);
      point[dimension->second] = static_cast<float>(place - all.begin()) / static_cast<float>(all.size() - 1);
    }
    if (variants > 0) point[dimensions_.size() + view_.family_of(index)] = 1;
    return point;
  }

 private:
  const DomainView& view_;
  std::map<std::string, std::vector<std::int64_t>> values_;
  std::map<std::string, std::size_t> dimensions_;
};

/// A Gaussian process over a part of a domain; the part grows. The cost grows with the points, and a session
/// has no time to predict hundreds of thousands of them. Points are named by their index in the domain.
class PartialModel {
 public:
  explicit PartialModel(const DomainView& view) : coordinates_(view), process_({}) {}

  void add(std::size_t index) {
    if (!places_.emplace(index, indices_.size()).second) return;
    indices_.push_back(index);
    process_.add_point(coordinates_(index));
  }
  void observe(std::size_t index) {
    add(index);
    process_.observe(places_.at(index));
  }
  void set_value(std::size_t index, double value) { process_.set_value(places_.at(index), value); }
  void update() { process_.update(); }
  void learn_scales(std::size_t most) { process_.learn_scales(most); }
  [[nodiscard]] double mean(std::size_t index) const { return process_.mean(places_.at(index)); }
  [[nodiscard]] double deviation(std::size_t index) const { return process_.deviation(places_.at(index)); }
  [[nodiscard]] const std::vector<std::size_t>& indices() const noexcept { return indices_; }

 private:
  Coordinates coordinates_;
  GaussianProcess process_;
  std::vector<std::size_t> indices_;
  std::unordered_map<std::size_t, std::size_t> places_;  ///< of an index, in indices_
};

class BayesianStrategy final : public Walker {
 public:
  BayesianStrategy(const SearchDomain& domain, std::uint64_t seed) : Walker(domain, seed), model_(view()) {
    std::vector<std::size_t> modelled = drawn_before(most_modelled);
    modelled.insert(modelled.end(), domain.starts.begin(), domain.starts.end());
    std::sort(modelled.begin(), modelled.end());
    for (const std::size_t index : modelled) model_.add(index);
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
        for (const std::size_t neighbour : near_fastest_) model_.add(neighbour);
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
    // The model stays unsure of a large space for longer than a session lasts. So what is next to the fastest
    // so far gets its turn as well.
    std::optional<std::size_t> chosen;
    if (++turn_ % nearby_every == 0) chosen = most_promising(near_fastest_);
    if (!chosen) chosen = most_promising(model_.indices());
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

  PartialModel model_;
  std::vector<std::size_t> observed_;
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
