#include "measure/call_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bitune/error.hpp"
#include "measure/oracle.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

/// Odd, and another one for each array.
std::uint64_t stride_with_gaps(std::uint64_t n, std::size_t part) { return n + 1 + n % 2 + 2 * part; }

RowRanges ranges_of(std::uint64_t rows, std::uint64_t length, std::uint64_t stride) {
  return {.rows = rows, .row_length = length, .row_stride = stride};
}

std::string_view name_of_array(const CallArray& array) {
  switch (array.out.value_or(Role::keys_out)) {
    case Role::values_out:
      return "values";
    case Role::indices_out:
      return "indices";
    default:
      return "keys";
  }
}

std::span<const std::byte> bytes_of(std::span<const std::byte> image, const CallLayout::Part& part) {
  return image.subspan(part.begin, part.layout.bytes());
}

void* memory(std::span<const std::byte> image) { return const_cast<std::byte*>(image.data()); }

}  // namespace

CallLayout::CallLayout(const Problem& problem, RowGaps gaps) {
  static_cast<void>(key_bytes(problem));  // refuses what is too large to count
  if (problem.ragged) {
    throw Error(ErrorCode::usage, fmt::format("'{}' does not say where its segments lie", text_of(problem)));
  }
  for (const CallArray& array : arrays_of(problem)) {
    const bool has_gaps = gaps == RowGaps::odd && problem.rows > 1;
    const std::uint64_t stride =
        has_gaps ? stride_with_gaps(array.row_length, parts_.size()) : array.row_length;
    add(array, GuardedLayout(array.element_bytes, ranges_of(problem.rows, array.row_length, stride)));
  }
}

CallLayout::CallLayout(const Problem& problem, const Segments& segments) {
  static_cast<void>(key_bytes(problem));
  const auto add_bounds = [&](Role role, std::uint64_t numbers) {
    const CallArray array{role, std::nullopt, segments.number_bytes, numbers, 1};
    add(array, GuardedLayout(array.element_bytes, ranges_of(1, numbers, segments.number_bytes)));
  };
  bool has_bounds = false;
  const auto add_all_bounds = [&] {
    if (std::exchange(has_bounds, true)) return;
    add_bounds(Role::offsets, segments.count() + (segments.with_ends ? 0 : 1));
    if (segments.with_ends) add_bounds(Role::ends, segments.count());
  };
  for (const CallArray& array : arrays_of(problem)) {
    if (!array.in) add_all_bounds();  // what is read goes first
    if (array.by_segment) {
      GuardedLayout layout(array.element_bytes, {.rows = problem.rows,
                                                 .row_length = problem.n,
                                                 .row_stride = 0,
                                                 .begins = segments.begins,
                                                 .lengths = segments.lengths});
      layout.elements = problem.n;
      add(array, std::move(layout));
    } else {
      add(array,
          GuardedLayout(array.element_bytes, ranges_of(array.rows, array.row_length, array.row_length)));
    }
  }
  add_all_bounds();
}

void CallLayout::add(const CallArray& array, GuardedLayout layout) {
  parts_.push_back({array, std::move(layout), bytes_});
  const std::uint64_t room = parts_.back().layout.bytes() + array.element_bytes;
  bytes_ += (room + alignment - 1) / alignment * alignment;
  if (array.in) input_bytes_ = bytes_;
}

void CallLayout::write_bounds(std::span<std::byte> image, const Part& part, const Segments& segments) {
  const std::vector<std::byte> numbers =
      part.array.in == Role::offsets ? segments.offsets() : segments.ends();
  std::copy(numbers.begin(), numbers.end(), rows(image, part).begin());
}

std::optional<std::string> find_fault_of_call(const Problem& problem, const CallLayout& layout,
                                              std::span<const std::byte> before,
                                              std::span<const std::byte> after) {
  Operands operands;
  for (const CallLayout::Part& part : layout.parts()) {
    const auto result = bytes_of(after, part);
    if (!part.array.out) {
      const auto given = bytes_of(before, part);
      if (!std::equal(given.begin(), given.end(), result.begin())) return "wrote to its input";
    } else if (auto stray = find_stray_write(result, part.layout)) {
      return layout.parts().size() == 1 ? *stray : fmt::format("{}: {}", name_of_array(part.array), *stray);
    }
    if (part.array.in) operands[*part.array.in] = CallLayout::operand(part, memory(before));
    if (part.array.out) operands[*part.array.out] = CallLayout::operand(part, memory(after));
  }
  return find_fault(problem, operands);
}

}  // namespace bitune
