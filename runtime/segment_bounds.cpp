#include "runtime/segment_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"

namespace bitune {
namespace {

std::optional<std::string> missing_numbers(const Operand& numbers, std::string_view what,
                                           std::uint64_t segments, std::uint64_t needed) {
  if (numbers.data == nullptr || numbers.elements < needed) {
    return fmt::format("{} segments need {} {}, and {} were given", segments, needed, what,
                       numbers.data == nullptr ? 0 : numbers.elements);
  }
  if (numbers.stride != 4 && numbers.stride != 8) {
    return fmt::format("{} are unsigned integers of 4 or 8 bytes, and their stride says which: not {}", what,
                       numbers.stride);
  }
  return std::nullopt;
}

/// As people wrote it: a negative one is a very large one here.
std::string number_text(const Operand& numbers, std::uint64_t number) {
  if (numbers.stride == 4 && number >= std::uint64_t{1} << 31) {
    return fmt::format("{} (or {}, if it has a sign)", number,
                       static_cast<std::int32_t>(static_cast<std::uint32_t>(number)));
  }
  if (number >= std::uint64_t{1} << 63) return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

/// Of segments that do not lie in the order of their numbers.
std::optional<std::string> find_overlap(const SegmentBounds& bounds, std::uint64_t segments) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    if (bounds.begin(segment) < bounds.end(segment)) order.push_back(segment);
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint64_t a, std::uint64_t b) { return bounds.begin(a) < bounds.begin(b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (bounds.end(order[i - 1]) <= bounds.begin(order[i])) continue;
    return fmt::format("segments {} and {} overlap", std::min(order[i - 1], order[i]),
                       std::max(order[i - 1], order[i]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> missing_bounds(const Problem& problem, const Operands& operands) {
  if (problem.rows == 0) return std::nullopt;
  const Operand& offsets = operands[Role::offsets];
  const Operand& ends = operands[Role::ends];
  const bool has_ends = ends.data != nullptr;
  const std::uint64_t needed = problem.rows + (has_ends ? 0 : 1);
  if (auto missing = missing_numbers(offsets, "offsets", problem.rows, needed)) return missing;
  if (!has_ends) return std::nullopt;
  if (auto missing = missing_numbers(ends, "ends", problem.rows, problem.rows)) return missing;
  if (ends.stride != offsets.stride) {
    return fmt::format("offsets of {} bytes and ends of {}: both are of one width", offsets.stride,
                       ends.stride);
  }
  return std::nullopt;
}

std::optional<std::string> find_wrong_segment(const Problem& problem, const Operands& on_host) {
  const SegmentBounds bounds(on_host);
  const Operand& offsets = on_host[Role::offsets];
  std::uint64_t end_before = 0;
  bool ascend = true;
  for (std::uint64_t segment = 0; segment < problem.rows; ++segment) {
    const std::uint64_t begin = bounds.begin(segment);
    const std::uint64_t end = bounds.end(segment);
    if (end > problem.n || begin > end) {
      const std::string range = fmt::format("segment {} is of the keys {} to {}", segment,
                                            number_text(offsets, begin), number_text(offsets, end));
      return begin > end && begin <= problem.n ? range + ": it ends before it begins"
                                               : fmt::format("{}, and there are {} keys", range, problem.n);
    }
    if (begin == end) continue;
    ascend = ascend && begin >= end_before;
    end_before = end;
  }
  return ascend ? std::nullopt : find_overlap(bounds, problem.rows);
}

}  // namespace bitune
