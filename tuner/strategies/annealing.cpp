// Simulated annealing: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by Simulated Annealing",
// Science 220, 1983. The energy is the logarithm of the time, so that temperatures mean ratios.

#include <cmath>
#include <vector>

#include "tuner/strategies/strategies.hpp"
#include "tuner/strategies/walker.hpp"

namespace bitune {
namespace {

constexpr double first_temperature = 0.5;  // a step to 1.6 times the time is taken as often as not
constexpr double last_temperature = 0.01;
constexpr double cooling = 0.97;  // by report
constexpr int patience = 25;      // reports without a step, after which it begins again elsewhere
constexpr std::size_t enough_neighbours = 6;
constexpr std::size_t jump_one_in = 8;  // now and then to another variant

class AnnealingStrategy final : public Walker {
 public:
  using Walker::Walker;

  void report(std::size_t index, std::optional<double> time_us) override {
    temperature_ = std::max(last_temperature, temperature_ * cooling);
    const double energy = time_us ? std::log(*time_us) : 0;
    if (time_us &&
        (!here_ || energy <= energy_ || random().unit() < std::exp((energy_ - energy) / temperature_))) {
      here_ = index;
      energy_ = energy;
      idle_ = 0;
    } else if (++idle_ > patience) {
      here_.reset();
      idle_ = 0;
      temperature_ = first_temperature;
    }
  }

 protected:
  std::optional<std::size_t> next() override {
    if (!here_ || random().below(jump_one_in) == 0) return std::nullopt;  // one is drawn
    std::vector<std::size_t> free;
    for (const std::size_t neighbour : view().neighbours(*here_, enough_neighbours)) {
      if (!is_proposed(neighbour)) free.push_back(neighbour);
    }
    if (!free.empty()) return free[random().below(free.size())];
    return view().nearest(view().places(*here_), unproposed(view().family_of(*here_)));
  }

 private:
  double temperature_ = first_temperature;
  std::optional<std::size_t> here_;
  double energy_ = 0;
  int idle_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<AnnealingStrategy>(domain, seed);
}

}  // namespace bitune
