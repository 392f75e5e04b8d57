#pragma once

/// \file
/// Durations, budgets and precisions as options take them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace bitune::cli {

/// "30s", "1.5m", "2h", "500ms" in seconds. \throws Error (usage) if it is none, not above 0, or has no unit
[[nodiscard]] double parse_duration(std::string_view text);

/// What a session may spend: what is set bounds it.
struct Budget {
  std::optional<double> seconds;
  std::optional<std::uint64_t> evaluations;

  bool operator==(const Budget&) const = default;
};

/// A duration, a number of evaluations ("500evals"), both ("60s,500evals"), or "none". A number has a unit.
/// \throws Error (usage)
[[nodiscard]] Budget parse_budget(std::string_view text);

/// "1%" or "0.5 %" as 0.01 or 0.005, "none" as 0. \throws Error (usage) if it is neither, or not below 100 %
[[nodiscard]] double parse_precision(std::string_view text);

}  // namespace bitune::cli
