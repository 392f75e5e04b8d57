#include "runtime/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection_ladder.hpp"
#include "runtime/untuned_policy.hpp"

namespace bitune {

Selector::Selector(DeviceInfo device, CandidateReader reader, std::span<const Variant* const> variants)
    : device_(std::move(device)), reader_(std::move(reader)), variants_(variants) {}

std::shared_ptr<const Selector::Known> Selector::known(const Problem& problem) {
  // The lock is held while the database is read: who comes meanwhile would only read the same.
  const std::lock_guard lock(mutex_);
  auto& entry = known_[group_of(problem)];
  if (!entry) {
    auto read = std::make_shared<Known>();
    read->candidates = reader_(problem, &read->warning);
    entry = std::move(read);
  }
  return entry;
}

Selection Selector::select(const Problem& problem, std::span<const TooLarge> too_large) {
  const auto candidates = known(problem);
  std::vector<Configuration> left_out;
  std::string left_out_text;
  const auto leave = [&](const TooLarge& entry) {
    left_out.push_back(entry.configuration);
    if (entry.why.empty()) return;
    left_out_text += fmt::format("; {} is left out: {}", entry.configuration.text(), entry.why);
  };
  {
    const std::lock_guard lock(mutex_);
    for (const LeftOut& entry : left_out_) {
      if (entry.problem == problem) leave(entry.too_large);
    }
  }
  for (const TooLarge& entry : too_large) leave(entry);
  Selection selection =
      select_among(problem, device_, candidates->candidates, variants_, kernel_sources_digest, left_out);
  selection.reason += left_out_text;
  if (!candidates->warning.empty()) selection.reason += "; " + candidates->warning;
  return selection;
}

std::vector<Configuration> Selector::quick(const Problem& problem) const {
  std::vector<Configuration> found;
  for (const Variant* variant : untuned_order(problem, device_, variants_)) {
    auto configuration = variant->quick_configuration(problem, device_);
    if (!configuration || variant->space(problem, device_).violation(*configuration, problem, device_)) {
      continue;
    }
    found.push_back(std::move(*configuration));
  }
  return found;
}

void Selector::leave_out(const Problem& problem, const TooLarge& too_large) {
  const std::lock_guard lock(mutex_);
  left_out_.push_back({problem, too_large});
}

Plan Selector::plan(const Problem& problem, const Configuration& configuration) const {
  const auto found = std::find_if(variants_.begin(), variants_.end(), [&](const Variant* variant) {
    return variant->name() == configuration.variant;
  });
  if (found == variants_.end()) {
    throw Error(ErrorCode::usage, fmt::format("there is no variant '{}'", configuration.variant));
  }
  return (*found)->plan(problem, configuration, device_);
}

}  // namespace bitune
