#pragma once

/// \file
/// One call on segments, checked by the oracle.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bitune/operands.hpp"
#include "measure/inputs.hpp"
#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {

/// Where segments lie, in the order of memory, and how a call says it.
struct SegmentPlaces {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> lengths;
  std::uint64_t keys = 0;  ///< in all, those between segments included
  std::size_t number_bytes = 4;
  bool with_ends = false;

  [[nodiscard]] Problem problem(const SortSpec& spec) const {
    return {spec, {.n = keys, .rows = lengths.size(), .ragged = true}};
  }
};

/// One behind the other; with gaps: ends are told, and one to three keys lie before each segment and behind
/// the last one.
[[nodiscard]] SegmentPlaces places_of(std::vector<std::uint64_t> lengths, std::size_t number_bytes = 4,
                                      bool gaps = false);

/// `count` lengths from 0 to `most`, most of them short; the seed says which.
[[nodiscard]] std::vector<std::uint64_t> mixed_lengths(std::size_t count, std::uint64_t most,
                                                       std::uint64_t seed);

/// Runs one call: operands in device memory between guard bytes, without a workspace. What lies between
/// segments, and inputs that are not also outputs, must be as they were.
[[nodiscard]] ::testing::AssertionResult sorts_segments(const Device& device, const SortSpec& spec,
                                                        const SegmentPlaces& places,
                                                        Distribution distribution, std::uint64_t seed,
                                                        bool in_place, const CallRunner& call);

/// The same with this configuration, and with a workspace of its own.
[[nodiscard]] ::testing::AssertionResult sorts_segments(const Bench& bench, const SortSpec& spec,
                                                        const SegmentPlaces& places,
                                                        const Configuration& configuration,
                                                        Distribution distribution, std::uint64_t seed,
                                                        bool in_place);

/// A call whose offsets and ends are these, right or wrong: nothing but the keys and values may be written.
[[nodiscard]] ::testing::AssertionResult keeps_within_keys(const Bench& bench, const SortSpec& spec,
                                                           const std::vector<std::uint64_t>& offsets,
                                                           const std::vector<std::uint64_t>& ends,
                                                           std::size_t number_bytes, std::uint64_t keys,
                                                           const Configuration& configuration);

}  // namespace bitune::test
