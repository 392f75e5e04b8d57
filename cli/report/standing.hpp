#pragma once

/// \file
/// What each configuration of a problem stands at now: the trial that ranks it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cache/evidence.hpp"
#include "model/standing.hpp"

namespace bitune::cli {

/// A configuration that was verified and measured, and has not failed since.
struct Standing {
  const Configuration* configuration = nullptr;  ///< of the evidence, which must outlive this
  std::int64_t trial = 0;
  double us = 0;
  bool finalist = false;

  [[nodiscard]] TrialRank rank() const noexcept { return {finalist, us, trial}; }
};

/// One for each configuration, by TrialRank: of a configuration's trials the first, and then all of them.
[[nodiscard]] std::vector<Standing> standings(const Evidence& evidence);

/// The standings of one variant, in the same order.
[[nodiscard]] std::vector<Standing> of_variant(std::span<const Standing> standings,
                                               const std::string& variant);

/// Names of all variants that were tried, sorted.
[[nodiscard]] std::vector<std::string> variants_in(const Evidence& evidence);

/// Five significant digits: what a page needs of a time or ratio.
[[nodiscard]] double rounded(double value);

}  // namespace bitune::cli
