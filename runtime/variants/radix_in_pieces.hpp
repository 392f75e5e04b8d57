#pragma once

/// \file
/// A radix sort of keys that come in pieces: the first pass takes each piece by itself, as soon as it is
/// there.

#include <cstdint>
#include <span>
#include <vector>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/plan.hpp"
#include "model/problem.hpp"

namespace bitune {

class PlanBuilder;

/// Of an array of keys, or of keys with values: the pieces together. Of the sorted keys only some are wanted,
/// one behind the other. Equal keys stay in the order of the pieces, whichever of them comes first.
///
/// How often each digit is in each piece must be known before the first pass begins on any of them: whoever
/// has the piece counts it. The plans are for operands as of a sort; no input is memory that is written.
class RadixInPieces {
 public:
  /// By `selected`, where it is of a radix variant, else as these sort by default. `problem`: of as
  /// many keys as there may be, at least 1; `takes` is true for its key type.
  RadixInPieces(const Problem& problem, const Configuration& selected, const DeviceInfo& device);

  /// Whether it is for such keys.
  [[nodiscard]] static bool takes(KeyType key, const DeviceInfo& device);

  [[nodiscard]] std::uint64_t digit_bits() const;
  /// Counters of the digits of all passes; of the first pass alone; and bytes of one.
  [[nodiscard]] std::uint64_t counters() const;
  [[nodiscard]] std::uint64_t first_counters() const;
  [[nodiscard]] std::uint64_t counter_bytes() const;

  /// Sorts n keys_in by the first digit. keys_out: where the first digit's first key of this piece goes
  /// (FirstPlaces). The workspace is all 0 at first, but for the counters of FirstPlaces at `counters_at`.
  [[nodiscard]] Plan first_pass(std::uint64_t n) const;
  static constexpr std::uint64_t counters_at = 256;
  /// Bytes of workspaces of first passes over so many pieces of all keys.
  [[nodiscard]] std::uint64_t first_pass_bytes(std::uint64_t pieces) const;

  /// The workspace of the other passes. From `cleared` on all is 0 at first, but for counters() of all keys.
  struct RestMemory {
    std::uint64_t keys = 0;  ///< where the first pass writes
    std::uint64_t values = 0;
    std::uint64_t other_keys = 0;  ///< the passes after it write there and back; pieces may lie there before
    std::uint64_t other_values = 0;
    std::uint64_t cleared = 0;
    std::uint64_t counters = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] RestMemory rest_memory() const;

  /// The other passes over n keys. Writes to the output `count` keys behind the first `skipped` ones.
  [[nodiscard]] Plan rest(std::uint64_t n, std::uint64_t skipped, std::uint64_t count) const;

 private:
  struct RestParts;
  [[nodiscard]] RestParts rest_parts(PlanBuilder& builder) const;

  Problem problem_;
  Configuration configuration_;
  DeviceInfo device_;
};

/// Where the first pass of a piece writes.
struct FirstPlaces {
  std::uint64_t first = 0;  ///< the place of its first key with the smallest digit
  /// What the pass takes for how often each digit is: the places of a digit's first key, each less that of
  /// the digit before it.
  std::vector<std::uint64_t> steps;
};

/// Of each piece, given how often each digit is in each of them, in the order of the pieces.
[[nodiscard]] std::vector<FirstPlaces> first_places(std::span<const std::vector<std::uint64_t>> counts);

}  // namespace bitune
