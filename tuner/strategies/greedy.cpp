// Greedy iterated local search: from each variant's first guess, move to the best neighbour (one parameter
// changed) for as long as there is a better one; then perturb the incumbent and go on. H. R. Lourenço, O. C.
// Martin, T. Stützle, "Iterated Local Search", Handbook of Metaheuristics, 2003.

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "tuner/strategies/strategies.hpp"

namespace bitune {
namespace {

/// One variant's search.
struct Hill {
  const SearchSpace* space = nullptr;
  double best_us = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  std::deque<std::size_t> neighbours;  ///< of `best`, in random order, not proposed yet
};

class GreedyStrategy final : public Strategy {
 public:
  GreedyStrategy(const SearchDomain& domain, std::uint64_t seed)
      : domain_(domain), random_(seed), proposed_(domain.configurations.size(), false) {
    for (const SearchSpace& space : domain.spaces) hills_[space.variant].space = &space;
    for (std::size_t i = 0; i < domain.configurations.size(); ++i) {
      index_of_.emplace(domain.configurations[i].text(), i);
    }
    starts_.assign(domain.starts.begin(), domain.starts.end());
    // What no climb reaches is proposed in the end, in random order: the search can be exhaustive.
    rest_ = make_random(domain, seed);
  }

  std::vector<std::size_t> propose(std::size_t at_most) override {
    std::vector<std::size_t> proposals;
    while (proposals.size() < at_most) {
      const std::optional<std::size_t> next = next_index();
      if (!next) break;
      proposed_[*next] = true;
      proposals.push_back(*next);
    }
    return proposals;
  }

  void report(std::size_t index, std::optional<double> time_us) override {
    const Configuration& configuration = domain_.configurations[index];
    const auto found = hills_.find(configuration.variant);
    if (!time_us || found == hills_.end() || *time_us >= found->second.best_us) return;
    Hill& hill = found->second;
    hill.best_us = *time_us;
    hill.best = index;
    hill.neighbours = shuffled_neighbours(hill);
  }

 private:
  std::optional<std::size_t> next_index() {
    while (!starts_.empty()) {
      const std::size_t start = starts_.front();
      starts_.pop_front();
      if (!proposed_[start]) return start;
    }
    if (Hill* const hill = choose_hill()) {
      while (!hill->neighbours.empty()) {
        const std::size_t neighbour = hill->neighbours.front();
        hill->neighbours.pop_front();
        if (!proposed_[neighbour]) return neighbour;
      }
      if (const auto perturbed = perturb(*hill)) return perturbed;
    }
    while (true) {
      const std::vector<std::size_t> next = rest_->propose(1);
      if (next.empty()) return std::nullopt;
      if (!proposed_[next.front()]) return next.front();
    }
  }

  /// The variant whose incumbent is the fastest, or now and then another one that is not far behind.
  Hill* choose_hill() {
    Hill* best = nullptr;
    for (auto& [name, hill] : hills_) {
      if (hill.best_us < (best ? best->best_us : std::numeric_limits<double>::infinity())) best = &hill;
    }
    if (best == nullptr || random_() % 4 != 0) return best;
    std::vector<Hill*> close;
    for (auto& [name, hill] : hills_) {
      if (&hill != best && hill.best_us < 1.5 * best->best_us) close.push_back(&hill);
    }
    return close.empty() ? best : close[random_() % close.size()];
  }

  [[nodiscard]] std::optional<std::size_t> find(const Configuration& configuration) const {
    const auto found = index_of_.find(configuration.text());
    return found == index_of_.end() ? std::nullopt : std::optional(found->second);
  }

  std::deque<std::size_t> shuffled_neighbours(const Hill& hill) {
    std::vector<std::size_t> neighbours;
    Configuration configuration = domain_.configurations[hill.best];
    for (const Parameter& parameter : hill.space->parameters) {
      const std::int64_t here = configuration.at(parameter.name);
      for (const std::int64_t value : parameter.values) {
        configuration.parameters[parameter.name] = value;
        const auto index = find(configuration);
        if (value != here && index && !proposed_[*index]) neighbours.push_back(*index);
      }
      configuration.parameters[parameter.name] = here;
    }
    // Fisher-Yates by hand: std::shuffle differs between libraries, and a seed must mean the same everywhere.
    for (std::size_t i = neighbours.size(); i > 1; --i)
      std::swap(neighbours[i - 1], neighbours[random_() % i]);
    return {neighbours.begin(), neighbours.end()};
  }

  /// A valid configuration that differs from the incumbent in two or three parameters, or nothing after some
  /// attempts.
  std::optional<std::size_t> perturb(const Hill& hill) {
    for (int attempt = 0; attempt < 64; ++attempt) {
      Configuration configuration = domain_.configurations[hill.best];
      const std::size_t changes = 2 + random_() % 2;
      for (std::size_t i = 0; i < changes; ++i) {
        const Parameter& parameter = hill.space->parameters[random_() % hill.space->parameters.size()];
        configuration.parameters[parameter.name] = parameter.values[random_() % parameter.values.size()];
      }
      const auto index = find(configuration);
      if (index && !proposed_[*index]) return index;
    }
    return std::nullopt;
  }

  const SearchDomain& domain_;
  std::mt19937_64 random_;
  std::vector<bool> proposed_;
  std::unordered_map<std::string, std::size_t> index_of_;
  std::map<std::string, Hill, std::less<>> hills_;
  std::deque<std::size_t> starts_;
  std::unique_ptr<Strategy> rest_;
};

}  // namespace

std::unique_ptr<Strategy> make_greedy(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<GreedyStrategy>(domain, seed);
}

}  // namespace bitune
