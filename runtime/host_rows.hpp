#pragma once

/// \file
/// Rows in host memory that have gaps between them, as rows without.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// A host sort carries each array as one piece. Where rows have gaps, it carries a packed copy of them. What
/// lies between rows is neither read nor written.
class HostRows {
 public:
  explicit HostRows(const Problem& problem) : rows_(problem.rows) {}

  /// The rows of an operand, of so many bytes each, one behind the other: the operand itself where it has no
  /// gaps. Null if it is empty.
  [[nodiscard]] const void* packed(const Operand& operand, std::size_t element_bytes,
                                   std::uint64_t row_bytes) {
    if (!has_gaps(operand, element_bytes, row_bytes)) return operand.data;
    std::vector<std::byte>& copy = copies_.emplace_back(rows_ * row_bytes);
    for (std::uint64_t row = 0; row < rows_; ++row) {
      std::memcpy(copy.data() + row * row_bytes, at(operand, row, element_bytes), row_bytes);
    }
    return copy.data();
  }

  /// Where rows may be written one behind the other, until `unpack`.
  [[nodiscard]] void* room_for(const Operand& operand, std::size_t element_bytes, std::uint64_t row_bytes) {
    if (!has_gaps(operand, element_bytes, row_bytes)) return operand.data;
    std::vector<std::byte>& room = copies_.emplace_back(rows_ * row_bytes);
    outputs_.push_back({operand, element_bytes, row_bytes, room.data()});
    return room.data();
  }

  /// Writes all that went to `room_for` to where it belongs.
  void unpack() const {
    for (const Output& output : outputs_) {
      for (std::uint64_t row = 0; row < rows_; ++row) {
        std::memcpy(at(output.operand, row, output.element_bytes), output.room + row * output.row_bytes,
                    output.row_bytes);
      }
    }
  }

 private:
  struct Output {
    Operand operand;
    std::size_t element_bytes;
    std::uint64_t row_bytes;
    const std::byte* room;
  };

  [[nodiscard]] bool has_gaps(const Operand& operand, std::size_t element_bytes,
                              std::uint64_t row_bytes) const noexcept {
    return operand.data != nullptr && rows_ > 1 && operand.stride * element_bytes != row_bytes;
  }
  [[nodiscard]] static std::byte* at(const Operand& operand, std::uint64_t row, std::size_t element_bytes) {
    return static_cast<std::byte*>(operand.data) + row * operand.stride * element_bytes;
  }

  std::uint64_t rows_;
  std::deque<std::vector<std::byte>> copies_;  // addresses stay
  std::vector<Output> outputs_;
};

}  // namespace bitune
