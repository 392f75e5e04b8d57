#pragma once

/// \file
/// The strategies, one file each; the registry in tuner/strategy.cpp lists them.

#include <cstdint>
#include <memory>

#include "tuner/strategy.hpp"

namespace bitune {

/// Every configuration, in the domain's order. The seed is not used.
[[nodiscard]] std::unique_ptr<Strategy> make_exhaustive(const SearchDomain& domain, std::uint64_t seed);

/// Climbs from each variant's first guess to the best neighbour, again and again; then from perturbed
/// incumbents. The domain must outlive it.
[[nodiscard]] std::unique_ptr<Strategy> make_greedy(const SearchDomain& domain, std::uint64_t seed);

/// Every configuration, in an order drawn from the seed. The order of two configurations depends on them and
/// the seed alone, so that problems of several sizes, searched with one seed, try the same configurations
/// first and share their compiled kernels.
[[nodiscard]] std::unique_ptr<Strategy> make_random(const SearchDomain& domain, std::uint64_t seed);

}  // namespace bitune
