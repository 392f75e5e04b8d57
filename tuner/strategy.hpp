#pragma once

/// \file
/// Search strategies: which configuration to try next, and how thoroughly.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/configuration.hpp"

namespace bitune {

/// The valid configurations of one problem over all variants searched, numbered; neighbours are valid ones
/// only.
struct SearchDomain {
  std::vector<Configuration> configurations;
  std::vector<std::size_t> starts;  ///< what is expected to be good, best first
};

/// A configuration to evaluate.
struct Proposal {
  std::size_t index = 0;  ///< into the domain
  double fidelity = 1;    ///< share of the protocol's samples that are worth taking, above 0; 1: all

  bool operator==(const Proposal&) const = default;
};

/// Proposes configurations and learns their times. One object serves one problem; it is used by one thread.
///
/// Contract: `propose` returns configurations that were not proposed before, or only at a lower fidelity.
/// There are at most `at_most` of them, a hint of how many can be compiled at once. If it returns nothing, it
/// waits for reports, or has finished if there are none to come. Each proposal is answered by exactly one
/// `report`, in any order, before or after further proposals. What is proposed depends on the domain, the
/// seed and the reports alone.
class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual std::vector<Proposal> propose(std::size_t at_most) = 0;
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

/// The strategy of sessions that ask for none: the one that needed the fewest evaluations on recorded spaces
/// (docs/tuning.md).
inline constexpr std::string_view default_strategy = "bayesian";

/// \throws Error (usage) that lists the strategies there are.
[[nodiscard]] const StrategyEntry& strategy(std::string_view name);

}  // namespace bitune
