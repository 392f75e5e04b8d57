#pragma once

/// \file
/// One sort of rows through the public Sorter, held against the host's reference.

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

/// Sorts generated rows on the Sorter's device and compares all bytes: sorted rows, what lies between, before
/// and behind them, and the input where it must stay as it is.
[[nodiscard]] ::testing::AssertionResult sorts_rows(const Device& device, Sorter& sorter, const RowCase& one);

}  // namespace bitune::test
