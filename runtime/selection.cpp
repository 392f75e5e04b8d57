#include "runtime/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/selection_ladder.hpp"
#include "runtime/selection_rank.hpp"
#include "runtime/untuned_policy.hpp"

namespace bitune {
namespace {

using ranking::ladder;
using ranking::Ranked;
using ranking::Step;

/// Checks configurations of one problem on one device; each variant's space is built once.
class Validity {
 public:
  Validity(const Problem& problem, const DeviceInfo& device, std::span<const Variant* const> variants)
      : problem_(problem), device_(device), variants_(variants) {}

  /// Whether the configuration is valid, and does not take several launches where it was tuned with one: that
  /// it was fast there says nothing then.
  bool operator()(const Candidate& candidate) {
    const Configuration& configuration = candidate.configuration;
    auto found = spaces_.find(configuration.variant);
    if (found == spaces_.end())
      found = spaces_.emplace(configuration.variant, space_of(configuration.variant)).first;
    const auto& space = found->second;
    if (!space || space->violation(configuration, problem_, device_)) return false;
    if (candidate.problem.n >= problem_.n || space->violation(configuration, candidate.problem, device_))
      return true;
    return launches(configuration, candidate.problem) != 1 || launches(configuration, problem_) == 1;
  }

 private:
  [[nodiscard]] const Variant* variant_of(std::string_view name) const {
    const auto found = std::find_if(variants_.begin(), variants_.end(),
                                    [&](const Variant* variant) { return variant->name() == name; });
    return found == variants_.end() ? nullptr : *found;
  }

  /// Nothing if the variant is unknown (a database of another version) or cannot sort the problem.
  [[nodiscard]] std::optional<SearchSpace> space_of(std::string_view name) const {
    const Variant* variant = variant_of(name);
    if (variant == nullptr || !variant->supports(problem_, device_)) return std::nullopt;
    return variant->space(problem_, device_);
  }

  [[nodiscard]] std::size_t launches(const Configuration& configuration, const Problem& problem) const {
    return variant_of(configuration.variant)->plan(problem, configuration, device_).launches.size();
  }

  const Problem& problem_;
  const DeviceInfo& device_;
  std::span<const Variant* const> variants_;
  std::map<std::string, std::optional<SearchSpace>, std::less<>> spaces_;
};

bool is_among(std::span<const Configuration> configurations, const Configuration& configuration) {
  return std::find(configurations.begin(), configurations.end(), configuration) != configurations.end();
}

}  // namespace

std::string_view name_of(MatchKind kind) noexcept {
  switch (kind) {
    case MatchKind::exact:
      return "exact";
    case MatchKind::near_size:
      return "near size";
    case MatchKind::near_device:
      return "near device";
    case MatchKind::shipped:
      return "shipped";
    case MatchKind::defaulted:
      break;
  }
  return "default";
}

Selection select_among(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
                       std::span<const Variant* const> variants, const KernelDigests& current_kernels,
                       std::span<const Configuration> left_out) {
  const std::vector<Ranked> ranked = ladder(problem, device, candidates, current_kernels);
  Validity valid(problem, device, variants);
  const auto best = std::find_if(ranked.begin(), ranked.end(), [&](const Ranked& entry) {
    return entry.step != Step::elsewhere && !is_among(left_out, entry.candidate->configuration) &&
           valid(*entry.candidate);
  });
  if (best == ranked.end()) return default_among(problem, device, variants, left_out);

  Selection selection;
  selection.configuration = best->candidate->configuration;
  selection.match = ranking::match_of(*best);
  selection.evidence = *best->candidate;
  if (best->step == Step::exact && !best->rank.older_kernels)
    selection.expected_us = best->candidate->median_us;
  selection.reason = ranking::reason_of(*best, problem);
  return selection;
}

std::vector<const Candidate*> ladder_of(const Problem& problem, const DeviceInfo& device,
                                        const CandidateSet& candidates,
                                        const KernelDigests& current_kernels) {
  std::vector<const Candidate*> all;
  for (const Ranked& entry : ladder(problem, device, candidates, current_kernels)) {
    all.push_back(entry.candidate);
  }
  return all;
}

Selection default_among(const Problem& problem, const DeviceInfo& device,
                        std::span<const Variant* const> variants, std::span<const Configuration> left_out) {
  for (const Variant* variant : untuned_order(problem, device, variants)) {
    Configuration configuration = variant->default_configuration(problem, device);
    if (is_among(left_out, configuration) ||
        variant->space(problem, device).violation(configuration, problem, device))
      continue;
    Selection selection;
    selection.configuration = std::move(configuration);
    selection.reason =
        fmt::format("no tuning fits: the default of variant '{}' from the device's limits", variant->name());
    return selection;
  }
  throw Error(ErrorCode::unavailable,
              fmt::format("no variant of bitune can do '{}' on {}: {}", text_of(problem), device.name,
                          facts_of(problem.operation).instead));
}

Selection select(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates) {
  return select_among(problem, device, candidates, variants(), kernel_sources_digest);
}

Selection default_selection(const Problem& problem, const DeviceInfo& device) {
  return default_among(problem, device, variants());
}

}  // namespace bitune
