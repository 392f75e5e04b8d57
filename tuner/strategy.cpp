#include "tuner/strategy.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "bitune/error.hpp"
#include "tuner/strategies/strategies.hpp"

namespace bitune {
namespace {

constexpr std::array<StrategyEntry, 7> registry = {{
    {"annealing", "simulated annealing: walks over neighbours, at first also to slower ones", make_annealing},
    {"bayesian", "where a Gaussian process expects the most improvement", make_bayesian},
    {"exhaustive", "every configuration, in the order of the search space", make_exhaustive},
    {"genetic", "children of the fastest configurations so far", make_genetic},
    {"greedy", "the starts' best neighbours, for as long as they are better; then perturbed", make_greedy},
    {"halving", "many measured briefly, the fastest of them longer", make_halving},
    {"random", "every configuration, in a seeded random order that all sizes share", make_random},
}};

}  // namespace

std::span<const StrategyEntry> strategies() { return registry; }

const StrategyEntry& strategy(std::string_view name) {
  std::string names;
  for (const StrategyEntry& entry : registry) {
    if (entry.name == name) return entry;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  throw Error(ErrorCode::usage, fmt::format("unknown strategy '{}': choose one of {}", name, names));
}

}  // namespace bitune
