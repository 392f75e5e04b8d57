#pragma once

/// \file
/// Names of variants that were other ones once.

#include <array>
#include <string_view>
#include <utility>

namespace bitune {

/// Former names, each with today's.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 2> renamed_variants = {{
    {"row_pairs", "packed_rows"},
    {"cluster_pairs", "packed_clusters"},
}};

/// The name that the variant has today: older databases and files know it by the other one.
[[nodiscard]] constexpr std::string_view current_variant_name(std::string_view name) noexcept {
  for (const auto& [former, current] : renamed_variants) {
    if (name == former) return current;
  }
  return name;
}

}  // namespace bitune
