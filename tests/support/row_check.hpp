#pragma once

/// \file
/// One sort of rows through the public Sorter, checked by the oracle.

#include <gtest/gtest.h>

#include <cstdint>

#include "bitune/bitune.hpp"
#include "measure/inputs.hpp"
#include "runtime/device.hpp"

namespace bitune::test {

/// How rows lie in memory.
struct RowCase {
  Problem problem;
  std::uint64_t gap = 0;  ///< keys between a row's end and the next one's beginning
  bool out_of_place = false;
  Distribution distribution = Distribution::random;
  std::uint64_t offset_keys = 0;  ///< the first row's distance from an aligned address
};

/// Sorts generated rows on the Sorter's device and asks the oracle. What lies between, before and behind the
/// rows must be as it was, and so must the input of a sort out of place.
[[nodiscard]] ::testing::AssertionResult sorts_rows(const Device& device, Sorter& sorter, const RowCase& one);

}  // namespace bitune::test
