#pragma once

/// \file
/// One top_k of segments, checked by the oracle.

#include <gtest/gtest.h>

#include <cstdint>

#include "measure/inputs.hpp"
#include "measure/segments.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {

/// The first k of each segment, by a call whose operands are in device memory, each between guard bytes, and
/// without a workspace. with_keys: else keys_out is empty. Guards and inputs must be as they were.
[[nodiscard]] ::testing::AssertionResult gives_first_of_segments(const Device& device, const SortSpec& spec,
                                                                 const Segments& segments,
                                                                 Distribution distribution,
                                                                 std::uint64_t seed, bool with_keys,
                                                                 const CallRunner& run);

/// The problem of these segments; the last one ends where the keys do.
[[nodiscard]] Problem problem_of_segments(const SortSpec& spec, const Segments& segments);

}  // namespace bitune::test
