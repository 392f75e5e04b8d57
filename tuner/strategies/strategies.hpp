#pragma once

/// \file
/// The strategies, one file each; the registry in tuner/strategy.cpp lists them. The domain must outlive
/// each.

#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/strategy.hpp"

namespace bitune {

/// Simulated annealing: a walk over neighbours that also accepts slower ones, the less the longer it lasts.
[[nodiscard]] std::unique_ptr<Strategy> make_annealing(const SearchDomain& domain, std::uint64_t seed);

/// Bayesian optimisation: where a Gaussian process expects the most improvement.
[[nodiscard]] std::unique_ptr<Strategy> make_bayesian(const SearchDomain& domain, std::uint64_t seed);

/// Every configuration, in the domain's order. The seed is not used.
[[nodiscard]] std::unique_ptr<Strategy> make_exhaustive(const SearchDomain& domain, std::uint64_t seed);

/// A genetic algorithm: children of the fastest configurations so far.
[[nodiscard]] std::unique_ptr<Strategy> make_genetic(const SearchDomain& domain, std::uint64_t seed);

/// Climbs from each start to the best neighbour, again and again; then from perturbed
/// incumbents.
[[nodiscard]] std::unique_ptr<Strategy> make_greedy(const SearchDomain& domain, std::uint64_t seed);

/// Successive halving: many measured briefly, the fastest of them longer, and so on.
[[nodiscard]] std::unique_ptr<Strategy> make_halving(const SearchDomain& domain, std::uint64_t seed);

/// Every configuration, in an order drawn from the seed.
[[nodiscard]] std::unique_ptr<Strategy> make_random(const SearchDomain& domain, std::uint64_t seed);

/// That order. Which of two configurations comes first depends on them and the seed alone. So problems of
/// several sizes, searched with one seed, try the same configurations first, and share their compiled
/// kernels.
[[nodiscard]] std::vector<std::size_t> random_order(const SearchDomain& domain, std::uint64_t seed);

}  // namespace bitune
