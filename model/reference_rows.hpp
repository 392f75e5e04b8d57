#pragma once

/// \file
/// The reference of a whole problem: each row sorted on the host.

#include <cstddef>
#include <span>

#include "bitune/types.hpp"

namespace bitune {

/// Sorts each row of `keys` (problem.rows * problem.n keys, one row behind the other; any alignment) as a
/// device must, with as many threads as pay.
void reference_sort_rows(std::span<std::byte> keys, const Problem& problem);

}  // namespace bitune
