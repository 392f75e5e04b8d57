// Successive halving. A bracket of configurations is measured briefly, the fastest third of them three times
// as long, and so on up to the whole number of samples. Then comes the next bracket. K. Jamieson, A.
// Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016.

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tuner/strategies/strategies.hpp"

namespace bitune {
namespace {

constexpr std::size_t bracket_size = 27;
constexpr std::size_t keep_one_in = 3;
constexpr std::size_t full = 9;  // a fidelity of 1; the first rung has 1 / full

class HalvingStrategy final : public Strategy {
 public:
  HalvingStrategy(const SearchDomain& domain, std::uint64_t seed) {
    std::vector<bool> taken(domain.configurations.size(), false);
    const auto take = [&](std::size_t index) {
      if (!taken[index]) order_.push_back(index);
      taken[index] = true;
    };
    std::for_each(domain.starts.begin(), domain.starts.end(), take);
    const std::vector<std::size_t> drawn = random_order(domain, seed);
    std::for_each(drawn.begin(), drawn.end(), take);
    begin_bracket();
  }

  std::vector<Proposal> propose(std::size_t at_most) override {
    if (rung_.empty() && awaited_ == 0) climb();
    std::vector<Proposal> proposals;
    while (proposals.size() < at_most && !rung_.empty()) {
      proposals.push_back({rung_.back(), static_cast<double>(fidelity_) / full});
      rung_.pop_back();
      ++awaited_;
    }
    return proposals;
  }

  void report(std::size_t index, std::optional<double> time_us) override {
    --awaited_;
    if (time_us) results_.emplace_back(*time_us, index);
  }

 private:
  void begin_bracket() {
    const std::size_t count = std::min(bracket_size, order_.size() - next_of_order_);
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(next_of_order_);
    rung_.assign(std::make_reverse_iterator(begin + static_cast<std::ptrdiff_t>(count)),
                 std::make_reverse_iterator(begin));
    next_of_order_ += count;
    fidelity_ = 1;
    results_.clear();
  }

  /// All of a rung have been reported: the fastest go on.
  void climb() {
    if (fidelity_ == full || results_.empty()) return begin_bracket();
    const std::size_t kept = std::max<std::size_t>(1, results_.size() / keep_one_in);
    std::sort(results_.begin(), results_.end());
    for (std::size_t i = kept; i-- > 0;) rung_.push_back(results_[i].second);
    fidelity_ *= keep_one_in;
    results_.clear();
  }

  std::vector<std::size_t> order_;
  std::size_t next_of_order_ = 0;
  std::vector<std::size_t> rung_;  ///< not proposed yet at this fidelity; the next one last
  double fidelity_ = 1;
  std::size_t awaited_ = 0;                              ///< proposed on this rung, not reported yet
  std::vector<std::pair<double, std::size_t>> results_;  ///< of this rung: time and index
};

}  // namespace

std::unique_ptr<Strategy> make_halving(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<HalvingStrategy>(domain, seed);
}

}  // namespace bitune
