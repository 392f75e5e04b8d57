#pragma once

/// \file
/// What the test that leaves out barriers sorts: together these pass every barrier of the kernels.

#include <cstdint>
#include <optional>
#include <vector>

#include "bitune/types.hpp"
#include "measure/inputs.hpp"
#include "model/configuration.hpp"

namespace bitune::test {

/// What is tried: a configuration for a problem, and of a top_k which of its samples is the bound, if not the
/// one of the plan. What comes of a bound that hardly ever is wrong is only seen so.
struct BarrierTry {
  Configuration configuration;
  Problem problem;
  std::optional<std::uint32_t> sample = std::nullopt;
  std::vector<std::uint64_t> lengths = {};  ///< of the problem's segments
  /// Of a top_k: what its keys look like, besides random ones.
  Distribution uneven = Distribution::few_distinct;
};

/// All that is tried. Of what gives the first k keys only if it is asked for: it takes long.
[[nodiscard]] std::vector<BarrierTry> barrier_tries(bool with_first_keys);

}  // namespace bitune::test
