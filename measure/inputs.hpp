#pragma once

/// \file
/// Generated key arrays: what configurations are verified and measured on, and what commands take as
/// generated input.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"
#include "kernels/measure/made_keys.hpp"

namespace bitune {

/// What every configuration is verified on: each finds faults that the others let through.
inline constexpr std::array<Distribution, 7> all_distributions = {
    Distribution::random,       Distribution::sorted,   Distribution::reversed, Distribution::all_equal,
    Distribution::few_distinct, Distribution::sawtooth, Distribution::special};

/// All that can be made, by number: those, and what is only measured on.
inline constexpr std::array<Distribution, 11> named_distributions = {
    Distribution::random,       Distribution::sorted,   Distribution::reversed, Distribution::all_equal,
    Distribution::few_distinct, Distribution::sawtooth, Distribution::special,  Distribution::some_nan,
    Distribution::near_one,     Distribution::zipf,     Distribution::normal};

/// The names there are, for a page of help: "random, sorted, ...".
[[nodiscard]] std::string distribution_list();

[[nodiscard]] std::string_view name_of(Distribution distribution) noexcept;

/// Reads a name as `name_of` writes it. \throws Error (usage) that lists the names there are.
[[nodiscard]] Distribution parse_distribution(std::string_view text);

/// Fills `keys` with whole keys (a remainder smaller than a key is left as it is). The bytes depend on the
/// arguments only, not on the number of threads that made them. Any alignment.
void fill_keys(std::span<std::byte> keys, KeyType type, Distribution distribution, std::uint64_t seed);

/// What generating and ordering keys knows of a type.
struct KeyFacts {
  int bytes = 4;
  bool is_signed = false;      ///< an integer with a sign
  std::uint64_t infinity = 0;  ///< bits of +infinity; 0 for integers

  [[nodiscard]] constexpr made::KeyRanks ranks() const noexcept { return {bytes, is_signed, infinity}; }
};

[[nodiscard]] KeyFacts key_facts_of(KeyType type) noexcept;

/// The ranks that `sorted`, `reversed` and `sawtooth` take from `n` keys of the type.
[[nodiscard]] made::Ramp ramp_of(KeyType type, std::uint64_t n, Distribution distribution) noexcept;

/// Values are random keys of this seed: keys of the same seed would be no values.
[[nodiscard]] std::uint64_t seed_of_values(std::uint64_t seed) noexcept;

/// Fills `values` with what travels with keys: random bytes, so that a value in a wrong place shows. As
/// fill_keys otherwise.
void fill_values(std::span<std::byte> values, std::uint64_t seed);

/// `n` keys as their bytes. \throws std::bad_alloc
[[nodiscard]] std::vector<std::byte> make_keys(KeyType type, std::uint64_t n, Distribution distribution,
                                               std::uint64_t seed);

}  // namespace bitune
