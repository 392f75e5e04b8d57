#pragma once

/// \file
/// What each parameter does, and each two of them together: the best time under each value.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/report/standing.hpp"

namespace bitune::cli {

/// A parameter and the values under which a configuration was measured, in ascending order.
struct TriedParameter {
  std::string name;
  std::vector<std::int64_t> values;
};

/// A configuration that is the fastest under some value of a parameter, or some values of two.
struct Winner {
  std::int64_t trial = 0;
  double us = 0;
  std::vector<std::size_t> values;  ///< its place among the values of each varied parameter
};

/// All that is needed to draw the best time over any one or two parameters of a variant, exactly. There are
/// at most as many winners as cells, however many configurations were measured.
struct Effects {
  std::vector<TriedParameter> varied;
  std::vector<TriedParameter> fixed;  ///< measured under one value only
  std::vector<Winner> winners;        ///< the fastest first
};

/// How many winners are kept, the fastest. No search space here comes near that, but an imported one may.
inline constexpr std::size_t most_winners = 2000;

/// Precondition: all are of one variant. A configuration that lacks a parameter which others have is left
/// out.
[[nodiscard]] Effects effects_of(std::span<const Standing> standings);

}  // namespace bitune::cli
