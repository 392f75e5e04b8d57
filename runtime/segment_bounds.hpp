#pragma once

/// \file
/// Where the segments of a call lie, read in the host's memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// An unsigned integer of an array of offsets, ends or lengths in the host's memory. Any alignment.
[[nodiscard]] inline std::uint64_t load_number(const Operand& numbers, std::uint64_t i) noexcept {
  const auto* const from = static_cast<const std::byte*>(numbers.data) + i * numbers.stride;
  if (numbers.stride == 4) {
    std::uint32_t narrow = 0;
    std::memcpy(&narrow, from, sizeof(narrow));
    return narrow;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

/// Beginnings and ends of segments as `offsets` and `ends` say. The operands must outlive it.
class SegmentBounds {
 public:
  /// Precondition: no sentence by `missing_bounds`.
  explicit SegmentBounds(const Operands& on_host) noexcept
      : offsets_(on_host[Role::offsets]),
        ends_(on_host[Role::ends].data != nullptr ? on_host[Role::ends] : offsets_),
        first_end_(on_host[Role::ends].data != nullptr ? 0 : 1) {}

  [[nodiscard]] std::uint64_t begin(std::uint64_t segment) const noexcept {
    return load_number(offsets_, segment);
  }
  [[nodiscard]] std::uint64_t end(std::uint64_t segment) const noexcept {
    return load_number(ends_, segment + first_end_);
  }

 private:
  Operand offsets_;
  Operand ends_;
  std::uint64_t first_end_;
};

/// What is wrong with the arrays of offsets and ends, without a look at what they have: "2 segments need 3
/// offsets". Nothing if they are right.
[[nodiscard]] std::optional<std::string> missing_bounds(const Problem& problem, const Operands& operands);

/// What is wrong with the first segment that is wrong: it ends before it begins or behind the keys, or
/// overlaps another. Nothing if all are right. Precondition: no sentence by `missing_bounds`.
[[nodiscard]] std::optional<std::string> find_wrong_segment(const Problem& problem, const Operands& on_host);

}  // namespace bitune
