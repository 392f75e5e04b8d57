#pragma once

/// \file
/// Where the rows of one array lie.

#include <cstdint>
#include <memory>
#include <vector>

namespace bitune {

/// Where each row (or segment) of an array begins, and how many elements of it count. Cheap to copy.
struct RowRanges {
  using Numbers = std::shared_ptr<const std::vector<std::uint64_t>>;

  std::uint64_t rows = 0;
  std::uint64_t row_length = 0;  ///< of each row, unless `lengths` says it
  std::uint64_t row_stride = 0;  ///< elements from one row to the next, unless `begins` says where they begin
  Numbers begins = {};           ///< null: by row_stride
  Numbers lengths = {};          ///< null: row_length each

  [[nodiscard]] std::uint64_t begin(std::uint64_t row) const {
    return begins ? (*begins)[row] : row * row_stride;
  }
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const {
    return lengths ? (*lengths)[row] : row_length;
  }
};

}  // namespace bitune
