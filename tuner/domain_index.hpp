#pragma once

/// \file
/// Where in a domain a configuration is.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/configuration.hpp"

namespace bitune {

/// Finds configurations among hundreds of thousands, of which few are ever asked for: what it keeps of each
/// is a number, not a text. The configurations must outlive it, and stay as they are.
class DomainIndex {
 public:
  explicit DomainIndex(const std::vector<Configuration>& configurations);

  /// The first that is equal.
  [[nodiscard]] std::optional<std::size_t> find(const Configuration& configuration) const;
  /// By its canonical text; nothing also for what is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view text) const;
  [[nodiscard]] bool has_variant(std::string_view variant) const;

 private:
  const std::vector<Configuration>& configurations_;
  std::vector<std::string_view> variants_;
  std::vector<std::pair<std::uint64_t, std::size_t>> by_hash_;  ///< ascending
};

}  // namespace bitune
