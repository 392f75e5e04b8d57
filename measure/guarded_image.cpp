#include "measure/guarded_image.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

bool is_untouched(std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  // All are as the first is, if each is as the one behind it.
  return bytes.front() == std::byte{GuardedLayout::guard_value} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

RowRanges rows_of_problem(const Problem& problem, std::uint64_t stride) {
  static_cast<void>(key_bytes(problem));  // refuses what is too large to count
  return {.rows = problem.rows, .row_length = problem.n, .row_stride = stride};
}

/// Calls visit(row, begin, end) for what lies before each row, and behind the last one, while it returns
/// true.
template <class Visit>
void for_each_gap(const GuardedLayout& layout, const Visit& visit) {
  const RowRanges& rows = layout.rows;
  std::uint64_t end = 0;  // of the row before
  for (std::uint64_t row = 0; row <= rows.rows; ++row) {
    const std::uint64_t begin = row == rows.rows ? layout.elements : rows.begin(row);
    if (begin != end && !visit(row, end, begin)) return;
    if (row < rows.rows) end = begin + rows.length(row);
  }
}

}  // namespace

GuardedLayout::GuardedLayout(std::size_t bytes_of_element, RowRanges ranges)
    : element_bytes(bytes_of_element), rows(std::move(ranges)) {
  if (rows.rows > 0) elements = rows.begin(rows.rows - 1) + rows.length(rows.rows - 1);
}

GuardedLayout::GuardedLayout(const Problem& problem, std::uint64_t stride)
    : GuardedLayout(size_of(problem.key), rows_of_problem(problem, stride)) {}

void place_rows(std::span<std::byte> image, const GuardedLayout& layout, std::span<const std::byte> packed) {
  std::byte* const array = image.data() + GuardedLayout::guard_bytes;
  for (std::uint64_t row = 0; row < layout.rows.rows; ++row) {
    const std::uint64_t row_bytes = layout.rows.length(row) * layout.element_bytes;
    if (row_bytes == 0) continue;
    std::memcpy(array + layout.rows.begin(row) * layout.element_bytes, packed.data(), row_bytes);
    packed = packed.subspan(row_bytes);
  }
}

void guard_gaps(std::span<std::byte> image, const GuardedLayout& layout) {
  const auto array = image.subspan(GuardedLayout::guard_bytes, layout.array_bytes());
  for_each_gap(layout, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
    std::memset(array.data() + begin * layout.element_bytes, GuardedLayout::guard_value,
                (end - begin) * layout.element_bytes);
    return true;
  });
}

std::optional<std::string> find_stray_write(std::span<const std::byte> image, const GuardedLayout& layout) {
  constexpr std::uint64_t guard = GuardedLayout::guard_bytes;
  if (!is_untouched(image.first(guard))) return "wrote outside the array, before it";
  if (!is_untouched(image.last(guard))) return "wrote outside the array, behind it";
  const auto array = image.subspan(guard, layout.array_bytes());
  const std::string_view kind = layout.rows.begins ? "segment" : "row";
  std::optional<std::string> fault;
  for_each_gap(layout, [&](std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
    const auto gap = array.subspan(begin * layout.element_bytes, (end - begin) * layout.element_bytes);
    if (is_untouched(gap)) return true;
    fault = row == 0 ? fmt::format("wrote before {} 0", kind)
                     : fmt::format("wrote between {0}s, behind {0} {1}", kind, row - 1);
    return false;
  });
  return fault;
}

GuardedImage::GuardedImage(GuardedLayout layout)
    : layout_(std::move(layout)), bytes_(layout_.bytes(), std::byte{GuardedLayout::guard_value}) {}

GuardedImage::GuardedImage(GuardedLayout layout, std::span<const std::byte> packed)
    : GuardedImage(std::move(layout)) {
  place_rows(bytes_, layout_, packed);
}

std::optional<std::string> find_fault_of_keys(const Problem& problem, const GuardedImage& before,
                                              const GuardedImage& after) {
  if (auto stray = find_stray_write(after.bytes(), after.layout())) return stray;
  Operands operands;
  operands[Role::keys_in] = before.operand();
  operands[Role::keys_out] = after.operand();
  return find_fault(problem, operands);
}

}  // namespace bitune
