#pragma once

/// \file
/// The C and C++ libraries' sorts of the host, to compare with.

#include <cstddef>
#include <span>

#include "bitune/types.hpp"

namespace bitune {

/// Times of one sort each, in microseconds.
struct HostSorts {
  double qsort_us = 0;
  double std_sort_us = 0;
  bool verified = false;  ///< both were right
};

/// Whether host sorts of this type are built: 32-bit integers, as in the published comparisons.
[[nodiscard]] bool has_host_sorts(KeyType key) noexcept;

/// Sorts copies of the keys, ascending, once each. Precondition: has_host_sorts(key).
[[nodiscard]] HostSorts time_host_sorts(std::span<const std::byte> keys, KeyType key);

}  // namespace bitune
