#pragma once

/// \file
/// Cutting sorted runs in host memory at a rank: what lies before the cut comes first of all.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// A part of an array: from element `begin` to `end`, which is not of it.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
  bool operator==(const ElementRange&) const = default;
};

/// How keys are compared.
struct KeyRules {
  KeyType key = KeyType::u32;
  Order order = Order::ascending;
  bool equal_nans = false;  ///< as where something travels with the keys
};

/// Where each run is cut, so that `rank` keys lie before the cuts and none of them belongs behind a key that
/// does not. Of equal keys those of an earlier run come first, so that a stable sort of what lies between two
/// cuts, run by run, continues a stable sort. Each run is in order by the rules. `rank` is at most the number
/// of all keys. Takes about (bits of a key) * (runs) * log2(length of a run) reads.
[[nodiscard]] std::vector<std::uint64_t> cut_runs(const std::byte* keys, std::span<const ElementRange> runs,
                                                  const KeyRules& rules, std::uint64_t rank);

/// Where a key of a run is among all keys.
using KeyIndex = std::function<std::uint64_t(std::uint64_t run, std::uint64_t position)>;

/// As cut_runs at rank `share` * (number of runs), of runs of these lengths. Of equal keys those are before
/// the cuts that bring each run's cut near to `share`, which is at most a run's length where that counts.
[[nodiscard]] std::vector<std::uint64_t> cut_evenly(const std::byte* keys,
                                                    std::span<const std::uint64_t> lengths,
                                                    const KeyIndex& index, const KeyRules& rules,
                                                    std::uint64_t share);

}  // namespace bitune
