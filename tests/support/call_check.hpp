#pragma once

/// \file
/// One call that carries values or indices, or gives the first keys, checked by the oracle.

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "measure/inputs.hpp"
#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {

/// What a problem of arrays or rows does not say of a call.
struct CallForm {
  bool in_place = false;      ///< values and keys that are written have the memory of those that are read
  bool gaps = false;          ///< rows are apart, in each array by another stride
  bool with_keys = true;      ///< else keys_out is empty, as it may be where there are indices
  unsigned length_bytes = 0;  ///< of a row's length: 4 or 8; 0: there are none
  /// Which of the sorted samples is the bound, where the plan's first launch takes one; else what the plan
  /// says.
  std::optional<std::uint32_t> sample = std::nullopt;
};

/// Runs one call of an array or of rows: its operands are in device memory, each between guard bytes,
/// aligned to their elements and no more, and without a workspace. Lengths of rows are of all kinds: 0, few,
/// all, and more than there are. Asks the oracle afterwards. Guards, and inputs that are not also outputs,
/// must be as they were.
[[nodiscard]] ::testing::AssertionResult is_right(const Device& device, const Problem& problem,
                                                  Distribution distribution, std::uint64_t seed,
                                                  const CallForm& form, const CallRunner& call);

/// The same with this configuration, and with a workspace of its own. Fails if the configuration is not
/// valid.
[[nodiscard]] ::testing::AssertionResult is_right(const Bench& bench, const Problem& problem,
                                                  const Configuration& configuration,
                                                  Distribution distribution, std::uint64_t seed,
                                                  const CallForm& form = {});

/// Rows of each of these lengths, one row and two, in place and not, with gaps and without: in turn, as
/// inputs that are hard for stable sorts. What is not right fails the test that calls this.
void expect_stable_rows(const Bench& bench, Problem problem, const Configuration& configuration,
                        std::initializer_list<std::uint64_t> lengths, std::uint64_t& turn);

/// What goes with the first keys.
struct TopKLoad {
  std::uint32_t value_bytes;
  std::uint32_t index_bytes;
};

[[nodiscard]] inline Problem top_k_of(const TopKLoad& load, KeyType key, Order order, std::uint64_t k,
                                      const Shape& shape) {
  return {{.operation = Operation::top_k,
           .key = key,
           .value_bytes = load.value_bytes,
           .index_bytes = load.index_bytes,
           .order = order,
           .k = k},
          shape};
}

}  // namespace bitune::test
