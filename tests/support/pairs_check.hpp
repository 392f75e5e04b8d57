#pragma once

/// \file
/// One call that carries values or indices, checked by the oracle.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "bitune/operands.hpp"
#include "measure/inputs.hpp"
#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {

/// Runs one call of an array or of rows: its operands are in device memory, each between guard bytes,
/// and without a workspace. In place: values and keys that are written have the memory of those that are
/// read. With gaps rows are apart, in each array by another stride. Asks the oracle afterwards. Guards, and
/// inputs that are not also outputs, must be as they were.
[[nodiscard]] ::testing::AssertionResult carries(const Device& device, const Problem& problem,
                                                 Distribution distribution, std::uint64_t seed, bool in_place,
                                                 const std::function<void(const Operands&)>& call,
                                                 bool gaps = false);

/// The same with this configuration, and with a workspace of its own. Fails if the configuration is not
/// valid.
[[nodiscard]] ::testing::AssertionResult carries(const Bench& bench, const Problem& problem,
                                                 const Configuration& configuration,
                                                 Distribution distribution, std::uint64_t seed, bool in_place,
                                                 bool gaps = false);

}  // namespace bitune::test
