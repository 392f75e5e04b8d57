#pragma once

/// \file
/// Sizes of what blocks keep in shared memory as they narrow a bound by counting.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Bins in which keys are counted.
constexpr Size narrowing_bins() { return 256; }

/// Bytes of a CountedBound, at most.
constexpr Size counted_bound_bytes() { return 48; }

}  // namespace bitune::layout
