#pragma once

/// \file
/// The memory of one call. Plain values: they own nothing.

#include <array>
#include <cstddef>
#include <cstdint>

namespace bitune {

/// A CUDA stream: a CUstream or cudaStream_t, passed as it is. Null is the default stream.
using Stream = void*;

/// What an operand is to a call.
enum class Role : std::uint8_t {
  keys_in,      ///< the keys as they are given; never written, unless it is the memory of keys_out
  keys_out,     ///< where the sorted keys go
  values_in,    ///< the value of each key
  values_out,   ///< where the values go, each with its key
  indices_out,  ///< where each sorted key stood in its row or array
  offsets,      ///< where each segment begins, and behind these where the last one ends
  ends,         ///< where each segment ends; empty: where the next one begins
  lengths,      ///< how many keys of each row count: unsigned integers, whose stride is their size in bytes
  workspace,    ///< memory that is used meanwhile; its contents are not kept
};
inline constexpr std::size_t role_count = 9;

/// One array of a call, in device memory.
struct Operand {
  void* data = nullptr;        ///< null: there is none
  std::uint64_t elements = 0;  ///< how many elements the array has room for; bytes, of a workspace
  /// Elements from the beginning of one row to the next. Of offsets, ends and lengths: 4 or 8, the bytes of
  /// each. Of the keys of segments it is not looked at.
  std::uint64_t stride = 0;

  bool operator==(const Operand& other) const noexcept {
    return data == other.data && elements == other.elements && stride == other.stride;
  }
  bool operator!=(const Operand& other) const noexcept { return !(*this == other); }
};

/// Where segments lie among keys in device memory (Operands tells more).
struct SegmentOffsets {
  const void* offsets = nullptr;  ///< where each begins; without `ends`, then also where the last one ends
  std::uint64_t count = 0;        ///< segments
  std::uint32_t bytes = 8;        ///< of each offset and end, an unsigned integer: 4 or 8
  const void* ends = nullptr;     ///< where each ends; null: where the next one begins
};

/// The memory of one call: an operand for each role. What a problem does not need stays empty.
///
/// A call sorts in place where keys_in is empty or is keys_out. Otherwise no rows of an input and an output
/// may overlap, but rows of one may lie between rows of the other. So it is with values_in and values_out.
/// A top_k never is in place: it needs keys_in, and values_in where values travel.
///
/// Segment r is of the keys offsets[r] to ends[r], or to offsets[r + 1] where there are no ends. They are
/// read on the device, as unsigned integers of one width. Segments may be empty and have gaps between them,
/// but none may overlap another. What is in no segment is neither read nor written. One that ends before it
/// begins, or behind the last key, is wrong: nothing outside the keys is touched, but what becomes of the
/// keys is not said.
class Operands {
 public:
  [[nodiscard]] Operand& operator[](Role role) noexcept { return table_[static_cast<std::size_t>(role)]; }
  [[nodiscard]] const Operand& operator[](Role role) const noexcept {
    return table_[static_cast<std::size_t>(role)];
  }

  /// Where the keys come from: keys_in, or keys_out where that is empty.
  [[nodiscard]] const Operand& input() const noexcept {
    const Operand& given = (*this)[Role::keys_in];
    return given.data == nullptr ? (*this)[Role::keys_out] : given;
  }

  /// Where the values come from: values_in, or values_out where that is empty.
  [[nodiscard]] const Operand& input_values() const noexcept {
    const Operand& given = (*this)[Role::values_in];
    return given.data == nullptr ? (*this)[Role::values_out] : given;
  }

  /// Whether the keys are sorted where they are.
  [[nodiscard]] bool in_place() const noexcept { return input().data == (*this)[Role::keys_out].data; }

 private:
  std::array<Operand, role_count> table_ = {};
};

}  // namespace bitune
