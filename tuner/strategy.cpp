#include "tuner/strategy.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"
#include "tuner/strategies/strategies.hpp"

namespace bitune {
namespace {

constexpr std::array<StrategyEntry, 3> registry = {{
    {"exhaustive", "every configuration, in the order of the search space", make_exhaustive},
    {"greedy", "the first guesses' best neighbours, for as long as they are better; then perturbed",
     make_greedy},
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
