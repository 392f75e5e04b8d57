#pragma once

/// \file
/// Sizes of what gives the first k keys of rows in shared memory (copied_rows.cuh).

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Where the parts of a row's shared memory begin, behind its keys, and how many bytes they are together.
struct CopiedRow {
  Size candidates;
  Size count;  ///< a number
  Size bytes;
};

constexpr CopiedRow copied_row(Size row_bytes, Size capacity, Size item_bytes) {
  const Size candidates = rounded_up(row_bytes, 16);
  const Size count = candidates + rounded_up(padded_bytes(capacity, item_bytes), 16);
  return {candidates, count, count + 16};
}

}  // namespace bitune::layout
