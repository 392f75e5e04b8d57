#pragma once

/// \file
/// Search strategies: which configuration to try next.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/configuration.hpp"
#include "model/search_space.hpp"

namespace bitune {

/// The valid configurations of one problem over all variants searched, numbered; neighbours are valid ones
/// only.
struct SearchDomain {
  std::vector<Configuration> configurations;
  std::vector<std::size_t> starts;  ///< indices of the variants' first guesses
  std::vector<SearchSpace> spaces;  ///< one a variant, for the order and values of parameters
};

/// Proposes configurations and learns their times. One object serves one problem; it is used by one thread.
///
/// Contract: `propose` returns indices into the domain that were not proposed before, in any number up to
/// `at_most` (a hint of how many can be compiled at once), and nothing when the strategy has finished. Each
/// proposal is answered by exactly one `report`, in any order, before or after further proposals.
class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual std::vector<std::size_t> propose(std::size_t at_most) = 0;
  /// `time_us`: median; nothing if the trial was not ok.
  virtual void report(std::size_t index, std::optional<double> time_us) = 0;
};

/// A strategy that can be chosen by name.
struct StrategyEntry {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Strategy> (*make)(const SearchDomain& domain, std::uint64_t seed);
};

[[nodiscard]] std::span<const StrategyEntry> strategies();

/// \throws Error (usage) that lists the strategies there are.
[[nodiscard]] const StrategyEntry& strategy(std::string_view name);

}  // namespace bitune
