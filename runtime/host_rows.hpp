#pragma once

/// \file
/// Rows or segments in host memory that have gaps between them, as arrays without.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "model/problem_operands.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune {

/// A host sort carries each array as one piece. Where rows have gaps, it carries a packed copy of them. What
/// lies between rows is neither read nor written.
///
/// Segments are carried as they lie. Where there are keys in no segment, results come back to other memory
/// first, and only segments are copied from there.
class HostRows {
 public:
  /// The operands must outlive it.
  HostRows(const Problem& problem, const Operands& on_host) : rows_(problem.rows) {
    if (!problem.ragged) return;
    segments_.emplace(on_host);
    std::uint64_t keys = 0;
    for (std::uint64_t row = 0; row < rows_; ++row) keys += segments_->end(row) - segments_->begin(row);
    leaves_keys_ = keys != problem.n;
  }

  /// The rows of an operand one behind the other: the operand itself where it has no gaps. Null if it is
  /// empty.
  [[nodiscard]] const void* packed(const Operand& operand, const CallArray& array) {
    if (!has_gaps(operand, array)) return operand.data;
    const std::uint64_t row_bytes = array.row_length * array.element_bytes;
    std::vector<std::byte>& copy = copies_.emplace_back(array.rows * row_bytes);
    for (std::uint64_t row = 0; row < array.rows; ++row) {
      std::memcpy(copy.data() + row * row_bytes, at(operand, row, array.element_bytes), row_bytes);
    }
    return copy.data();
  }

  /// Where rows may be written one behind the other, until `unpack`. `in_place`: the operand is also read.
  [[nodiscard]] void* room_for(const Operand& operand, const CallArray& array, bool in_place) {
    const bool leaves_keys = array.by_segment && leaves_keys_ && !in_place;
    if (operand.data == nullptr || (!leaves_keys && !has_gaps(operand, array))) return operand.data;
    std::vector<std::byte>& room = copies_.emplace_back(array.rows * array.row_length * array.element_bytes);
    outputs_.push_back({operand, array, room.data()});
    return room.data();
  }

  /// Writes all that went to `room_for` to where it belongs.
  void unpack() const {
    for (const Output& output : outputs_) {
      const std::size_t size = output.array.element_bytes;
      for (std::uint64_t row = 0; row < rows_; ++row) {
        if (output.array.by_segment) {
          const std::uint64_t begin = segments_->begin(row) * size;
          const std::uint64_t end = segments_->end(row) * size;
          if (begin == end) continue;
          std::memcpy(static_cast<std::byte*>(output.operand.data) + begin, output.room + begin, end - begin);
        } else {
          const std::uint64_t row_bytes = output.array.row_length * size;
          std::memcpy(at(output.operand, row, size), output.room + row * row_bytes, row_bytes);
        }
      }
    }
  }

 private:
  struct Output {
    Operand operand;
    CallArray array;
    const std::byte* room;
  };

  [[nodiscard]] static bool has_gaps(const Operand& operand, const CallArray& array) noexcept {
    return operand.data != nullptr && array.rows > 1 && operand.stride != array.row_length;
  }
  [[nodiscard]] static std::byte* at(const Operand& operand, std::uint64_t row, std::size_t element_bytes) {
    return static_cast<std::byte*>(operand.data) + row * operand.stride * element_bytes;
  }

  std::uint64_t rows_;
  std::optional<SegmentBounds> segments_;
  bool leaves_keys_ = false;                   ///< some are in no segment
  std::deque<std::vector<std::byte>> copies_;  // addresses stay
  std::vector<Output> outputs_;
};

}  // namespace bitune
