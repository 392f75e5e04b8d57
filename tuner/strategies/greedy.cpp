// Greedy iterated local search. From each start it moves to the best neighbour for as long as
// there is a better one. Then it perturbs the incumbent and goes on. H. R. Lourenço, O. C. Martin, T.
// Stützle, "Iterated Local Search", Handbook of Metaheuristics, 2003.

#include <limits>
#include <vector>

#include "tuner/strategies/strategies.hpp"
#include "tuner/strategies/walker.hpp"

namespace bitune {
namespace {

constexpr std::size_t hill_neighbours = 6;
constexpr double not_far_behind = 1.5;

constexpr double unknown = std::numeric_limits<double>::infinity();

/// One variant's search.
struct Hill {
  double best_us = unknown;
  std::size_t best = 0;
  std::vector<std::size_t> neighbours;  ///< of `best`, in random order; the next one last
};

class GreedyStrategy final : public Walker {
 public:
  GreedyStrategy(const SearchDomain& domain, std::uint64_t seed)
      : Walker(domain, seed), hills_(view().families().size()) {}

  void report(std::size_t index, std::optional<double> time_us) override {
    Hill& hill = hills_[view().family_of(index)];
    if (!time_us || *time_us >= hill.best_us) return;
    hill.best_us = *time_us;
    hill.best = index;
    hill.neighbours = view().neighbours(index, hill_neighbours);
    random().shuffle(hill.neighbours);
  }

 protected:
  std::optional<std::size_t> next() override {
    Hill* const hill = choose_hill();
    if (hill == nullptr) return std::nullopt;
    while (!hill->neighbours.empty()) {
      const std::size_t neighbour = hill->neighbours.back();
      hill->neighbours.pop_back();
      if (!is_proposed(neighbour)) return neighbour;
    }
    return hill->best_us < unknown ? perturb(*hill) : any_of(*hill);
  }

 private:
  /// The variant whose incumbent is the fastest, or now and then another one that is not far behind, or has
  /// no time yet.
  Hill* choose_hill() {
    Hill* best = nullptr;
    for (Hill& hill : hills_) {
      if (hill.best_us < (best ? best->best_us : unknown)) best = &hill;
    }
    if (best == nullptr || random().below(4) != 0) return best;
    std::vector<Hill*> close;
    for (Hill& hill : hills_) {
      const bool near = hill.best_us == unknown || hill.best_us < not_far_behind * best->best_us;
      if (&hill != best && near) close.push_back(&hill);
    }
    return close.empty() ? best : close[random().below(close.size())];
  }

  std::optional<std::size_t> any_of(const Hill& hill) {
    const std::vector<std::size_t> left = unproposed(static_cast<std::size_t>(&hill - hills_.data()));
    return left.empty() ? std::nullopt : std::optional(left[random().below(left.size())]);
  }

  /// What is nearest to a point that differs from the incumbent in two or three parameters.
  std::optional<std::size_t> perturb(const Hill& hill) {
    const std::size_t number = view().family_of(hill.best);
    const Family& family = view().families()[number];
    if (family.names.empty()) return std::nullopt;
    DomainView::Places point = view().places(hill.best);
    const std::size_t changes = 2 + random().below(2);
    for (std::size_t i = 0; i < changes; ++i) {
      const std::size_t parameter = random().below(point.size());
      point[parameter] = static_cast<std::uint16_t>(random().below(family.values[parameter].size()));
    }
    return view().nearest(point, unproposed(number));
  }

  std::vector<Hill> hills_;
};

}  // namespace

std::unique_ptr<Strategy> make_greedy(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<GreedyStrategy>(domain, seed);
}

}  // namespace bitune
