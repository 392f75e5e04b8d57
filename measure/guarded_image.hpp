#pragma once

/// \file
/// Arrays with guard bytes around their rows: what a call must not write shows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/row_ranges.hpp"

namespace bitune {

/// Where the rows of an array lie in an image: guard bytes, rows with guard bytes between them, guard bytes.
/// The front guard keeps the array aligned as the allocation is, to 256 bytes.
struct GuardedLayout {
  static constexpr std::uint64_t guard_bytes = 256;
  static constexpr unsigned char guard_value = 0xA5;

  std::size_t element_bytes = 1;
  RowRanges rows;
  std::uint64_t elements = 0;  ///< of the array, gaps included

  GuardedLayout() = default;
  /// The array ends where its last row does.
  GuardedLayout(std::size_t bytes_of_element, RowRanges ranges);
  /// The keys of a problem that is not ragged, rows one behind the other, or `stride` keys apart.
  explicit GuardedLayout(const Problem& problem) : GuardedLayout(problem, problem.n) {}
  GuardedLayout(const Problem& problem, std::uint64_t stride);

  [[nodiscard]] std::uint64_t array_bytes() const noexcept { return elements * element_bytes; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return array_bytes() + 2 * guard_bytes; }
  /// The array of an image as an operand. `image` may be null, where only elements and stride matter.
  [[nodiscard]] Operand operand(void* image) const noexcept {
    void* const first = image == nullptr ? nullptr : static_cast<std::byte*>(image) + guard_bytes;
    return {first, elements, rows.row_stride};
  }
};

/// Puts rows that follow each other in `packed` into their places in an image.
void place_rows(std::span<std::byte> image, const GuardedLayout& layout, std::span<const std::byte> packed);

/// Makes guards of what lies between the rows. Precondition: they lie in the order of their numbers.
void guard_gaps(std::span<std::byte> image, const GuardedLayout& layout);

/// Says where bytes outside the rows are not what they were: "wrote between rows, behind row 1". Nothing if
/// all are. Precondition: image.size() == layout.bytes(), and rows lie in the order of their numbers.
[[nodiscard]] std::optional<std::string> find_stray_write(std::span<const std::byte> image,
                                                          const GuardedLayout& layout);

/// An image in the host's memory.
class GuardedImage {
 public:
  /// Guard bytes only.
  explicit GuardedImage(GuardedLayout layout);
  /// `packed`: the rows' elements, one row behind the other.
  GuardedImage(GuardedLayout layout, std::span<const std::byte> packed);

  [[nodiscard]] const GuardedLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The array, for who only reads it: the oracle.
  [[nodiscard]] Operand operand() const noexcept {
    return layout_.operand(const_cast<std::byte*>(bytes_.data()));
  }

  bool operator==(const GuardedImage& other) const noexcept { return bytes_ == other.bytes_; }

 private:
  GuardedLayout layout_;
  std::vector<std::byte> bytes_;
};

/// What is wrong with sorted keys, by the oracle and by their guards; nothing if they are right. `before`:
/// the input as it was; it may have gaps of its own.
[[nodiscard]] std::optional<std::string> find_fault_of_keys(const Problem& problem,
                                                            const GuardedImage& before,
                                                            const GuardedImage& after);

}  // namespace bitune
