#pragma once

/// \file
/// All arrays of a call in one image: what is copied to restore an input, and compared to verify a result.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/guarded_image.hpp"
#include "measure/segments.hpp"
#include "model/problem_operands.hpp"

namespace bitune {

/// Where the rows of a call's arrays lie.
enum class RowGaps : std::uint8_t {
  none,  ///< one behind the other
  odd,  ///< apart, so that no row but the first is aligned to more than an element; each array by a stride of
        ///< its own
};

/// Where the arrays of a call lie in an image: one behind the other, each with guards of its own. Arrays that
/// are read come first, so that an image of the input is the beginning of an image of the result.
class CallLayout {
 public:
  /// Arrays begin at multiples of it, and have room for an element more than they need.
  static constexpr std::uint64_t alignment = 256;

  struct Part {
    CallArray array;
    GuardedLayout layout;
    std::uint64_t begin = 0;  ///< of its front guard, in the image
  };

  /// \throws Error (usage) if the problem is too large to count, or is one of segments
  explicit CallLayout(const Problem& problem, RowGaps gaps = RowGaps::none);
  /// Of segments. Offsets, and ends where there are such, are arrays that are only read.
  CallLayout(const Problem& problem, const Segments& segments);

  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  [[nodiscard]] std::uint64_t input_bytes() const noexcept { return input_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// The operand of a part in an image.
  [[nodiscard]] static Operand operand(const Part& part, void* image) noexcept {
    return part.layout.operand(static_cast<std::byte*>(image) + part.begin);
  }
  /// All elements of a part in an image, with what lies between rows or segments.
  [[nodiscard]] static std::span<std::byte> rows(std::span<std::byte> image, const Part& part) {
    return image.subspan(part.begin + GuardedLayout::guard_bytes, part.layout.array_bytes());
  }

  /// Writes the numbers of a part that has offsets or ends into an image.
  static void write_bounds(std::span<std::byte> image, const Part& part, const Segments& segments);

 private:
  void add(const CallArray& array, GuardedLayout layout);

  std::vector<Part> parts_;
  std::uint64_t input_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

/// What is wrong with the result of a call, by the oracle and by the guards of each array; nothing if it is
/// right. What is only read must be as it was. `before`: an image of the input. `after`: an image of the
/// result.
[[nodiscard]] std::optional<std::string> find_fault_of_call(const Problem& problem, const CallLayout& layout,
                                                            std::span<const std::byte> before,
                                                            std::span<const std::byte> after);

}  // namespace bitune
