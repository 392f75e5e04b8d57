#pragma once

/// \file
/// Generated key arrays: what configurations are verified and measured on, and what commands take as
/// generated input.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// How generated keys are distributed and arranged.
enum class Distribution : std::uint8_t {
  random,  ///< uniform over all values of the type; floats: over all finite bit patterns, so mostly far from
           ///< 1
  sorted,  ///< ascending, evenly spread over all finite values; equal neighbours where n exceeds their number
  reversed,      ///< `sorted` backwards
  all_equal,     ///< one random value
  few_distinct,  ///< 16 random values
  sawtooth,      ///< ascending ramps of 1021 keys (a prime, so that no tile begins as another does)
  special,  ///< the type's edges in random order: extremes, zeros, infinities, denormals, NaNs of both signs
            ///< and various payloads, and one key in four random of all bit patterns
};

inline constexpr std::array<Distribution, 7> all_distributions = {
    Distribution::random,       Distribution::sorted,   Distribution::reversed, Distribution::all_equal,
    Distribution::few_distinct, Distribution::sawtooth, Distribution::special};

[[nodiscard]] std::string_view name_of(Distribution distribution) noexcept;

/// Reads a name as `name_of` writes it. \throws Error (usage) that lists the names there are.
[[nodiscard]] Distribution parse_distribution(std::string_view text);

/// Fills `keys` with whole keys (a remainder smaller than a key is left as it is). The bytes depend on the
/// arguments only, not on the number of threads that made them. Any alignment.
void fill_keys(std::span<std::byte> keys, KeyType type, Distribution distribution, std::uint64_t seed);

/// Fills `values` with what travels with keys: random bytes, so that a value in a wrong place shows. As
/// fill_keys otherwise.
void fill_values(std::span<std::byte> values, std::uint64_t seed);

/// `n` keys as their bytes. \throws std::bad_alloc
[[nodiscard]] std::vector<std::byte> make_keys(KeyType type, std::uint64_t n, Distribution distribution,
                                               std::uint64_t seed);

}  // namespace bitune
