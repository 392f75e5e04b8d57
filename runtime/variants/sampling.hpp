#pragma once

/// \file
/// A bound for the first k keys, from a sample of random keys: how far behind the k-th key it has to be, and
/// how many keys are before it then.
///
/// Samples are taken one from each of as many equal parts. How many of them are among any m keys is a sum of
/// independent chances, m * samples / n on average. Chernoff bounds the tails of such a sum as those of a
/// Poisson variable. No two keys are equal, as their places belong to them.

#include <cstdint>

namespace bitune::sampling {

/// What may go wrong once in so many rows. It costs time, and nothing else.
inline constexpr double accepted_chance = 1e-6;

/// Which of the sorted samples has fewer than k keys up to it with no more than the accepted chance: the
/// first, the second, ... It is more than `samples` where none has.
[[nodiscard]] std::uint64_t bound_rank(std::uint64_t samples, std::uint64_t k, std::uint64_t n);

/// A bound of the chance that more than so many keys are not behind the sample of that rank.
[[nodiscard]] double overflow_chance(std::uint64_t samples, std::uint64_t rank, std::uint64_t capacity,
                                     std::uint64_t n);

/// Whether the first k of n keys, and what else is not behind their bound, fit with no more than the accepted
/// chance that they do not.
[[nodiscard]] bool fits(std::uint64_t samples, std::uint64_t k, std::uint64_t capacity, std::uint64_t n);

/// Room for all that is not behind the bound of the first k, but for the accepted chance; at most n.
[[nodiscard]] std::uint64_t room_for(std::uint64_t samples, std::uint64_t k, std::uint64_t n);

/// The same where the bound is the sample of that rank.
[[nodiscard]] std::uint64_t room_for_rank(std::uint64_t samples, std::uint64_t rank, std::uint64_t k,
                                          std::uint64_t n);

/// How many samples are up to the minimum of that rank, but for the accepted chance, where samples are in as
/// many groups by chance, and each has its minimum.
[[nodiscard]] std::uint64_t up_to_minimum(std::uint64_t groups, std::uint64_t rank);

/// The other way round: the minimum that so many samples are up to, but for the accepted chance; `groups`
/// where none is.
[[nodiscard]] std::uint64_t minimum_behind(std::uint64_t groups, std::uint64_t samples);

}  // namespace bitune::sampling
