// A steady-state genetic algorithm: children of two of the fastest configurations so far, chosen by
// tournament, replace the slowest. D. Whitley, "The GENITOR Algorithm and Selection Pressure", ICGA 1989.
// Children that are not valid, or were proposed already, give way to the nearest that is and was not.

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/strategies/strategies.hpp"
#include "tuner/strategies/walker.hpp"

namespace bitune {
namespace {

constexpr std::size_t population_size = 20;
constexpr std::size_t tournament = 3;
constexpr std::size_t founders = 12;  // drawn before there are children

class GeneticStrategy final : public Walker {
 public:
  using Walker::Walker;

  void report(std::size_t index, std::optional<double> time_us) override {
    if (!time_us) return;
    const std::pair entry{*time_us, index};
    population_.insert(std::upper_bound(population_.begin(), population_.end(), entry), entry);
    if (population_.size() > population_size) population_.pop_back();
  }

 protected:
  std::optional<std::size_t> next() override {
    if (population_.size() < founders) return std::nullopt;
    const std::size_t mother = parent();
    const std::size_t number = view().family_of(mother);
    const Family& family = view().families()[number];
    std::size_t father = parent();
    if (view().family_of(father) != number) father = mother;  // variants do not mix: it mutates only
    DomainView::Places child = view().places(mother);
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (random().below(2) == 0) child[i] = view().places(father)[i];
      if (random().below(child.size()) == 0) {
        child[i] = static_cast<std::uint16_t>(random().below(family.values[i].size()));
      }
    }
    return view().nearest(child, unproposed(number));
  }

 private:
  /// The fastest of a few of the population.
  std::size_t parent() {
    std::size_t best = population_.size() - 1;
    for (std::size_t i = 0; i < tournament; ++i) best = std::min(best, random().below(population_.size()));
    return population_[best].second;
  }

  std::vector<std::pair<double, std::size_t>> population_;  ///< time and index, fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<GeneticStrategy>(domain, seed);
}

}  // namespace bitune
