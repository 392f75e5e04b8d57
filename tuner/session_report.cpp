#include "tuner/session_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/json.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

Json json_of_outcome(const TuneOutcome& outcome) {
  Json ties = Json::array();
  for (const Trial& trial : outcome.ties) {
    ties.push_back(json_of(trial));
  }
  Json best;
  Json rate;
  if (outcome.best) {
    best = json_of(*outcome.best);
    if (const auto median = outcome.best->median_us(); median && *median > 0) {
      rate = static_cast<double>(key_count(outcome.problem)) / *median * 1e6;
    }
  }
  return {{"problem", json_of(outcome.problem)},
          {"evaluated", outcome.evaluated},
          {"skipped", outcome.skipped},
          {"same_plan", outcome.same_plan},
          {"failed", outcome.failed},
          {"given_up", outcome.given_up.empty() ? Json() : Json(outcome.given_up)},
          {"best", best},
          {"keys_per_second", rate},
          {"ties", ties}};
}

/// Something is wrong with the device or the kernels if all that was tried failed.
bool all_failed(const TuneOutcome& outcome) {
  return !outcome.best && outcome.evaluated > 0 && outcome.failed >= outcome.evaluated;
}

}  // namespace

std::vector<DeviceShare> device_shares(std::span<const DeviceResult> results) {
  std::vector<DeviceShare> shares;
  for (const DeviceResult& result : results) {
    DeviceShare share{.device = result.device, .problems = result.outcomes.size(), .error = result.error};
    for (const TuneOutcome& outcome : result.outcomes) {
      share.evaluated += outcome.evaluated;
    }
    shares.push_back(std::move(share));
  }
  return shares;
}

std::vector<TuneOutcome> outcomes_of(std::span<const DeviceResult> results) {
  std::vector<TuneOutcome> outcomes;
  for (const DeviceResult& result : results) {
    outcomes.insert(outcomes.end(), result.outcomes.begin(), result.outcomes.end());
  }
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const TuneOutcome& a, const TuneOutcome& b) { return a.index < b.index; });
  return outcomes;
}

std::string tune_json(std::span<const TuneOutcome> outcomes, const TuneSummary& summary) {
  Json results = Json::array();
  for (const TuneOutcome& outcome : outcomes) {
    results.push_back(json_of_outcome(outcome));
  }
  Json devices = Json::array();
  for (const DeviceShare& share : summary.shares) {
    devices.push_back({{"device", share.device},
                       {"problems", share.problems},
                       {"evaluated", share.evaluated},
                       {"error", share.error.empty() ? Json() : Json(share.error)}});
  }
  Json merging = Json::array();
  for (const MergeOutcome& merge : summary.merging) {
    merging.push_back({{"bytes", merge.bytes},
                       {"configuration", merge.configuration},
                       {"median_us", merge.median_us},
                       {"read_us", merge.read_us}});
  }
  const Json document = {{"device", summary.device},   {"devices", devices},
                         {"merging", merging},         {"database", summary.database.string()},
                         {"seconds", summary.seconds}, {"interrupted", summary.interrupted},
                         {"problems", results}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string devices_text(std::span<const DeviceResult> results) {
  std::string text;
  for (const DeviceResult& result : results) text += (text.empty() ? "" : ", ") + result.device;
  return text;
}

std::optional<std::string> failure_of(std::span<const DeviceResult> results,
                                      std::span<const TuneOutcome> outcomes) {
  if (const auto failure = std::find_if(outcomes.begin(), outcomes.end(), all_failed);
      failure != outcomes.end()) {
    return fmt::format("every configuration tried for '{}' failed; `bitune db trials --limit 20` shows why",
                       text_of(failure->problem));
  }
  if (const auto late = std::find_if(outcomes.begin(), outcomes.end(),
                                     [](const TuneOutcome& outcome) { return !outcome.given_up.empty(); });
      late != outcomes.end()) {
    return late->given_up;
  }
  std::string failures;
  for (const DeviceResult& result : results) {
    if (result.error.empty()) continue;
    failures += fmt::format("{}{} failed: {}", failures.empty() ? "" : "; ", result.device, result.error);
  }
  if (failures.empty()) return std::nullopt;
  return failures + "; what was measured is stored, and the same command goes on from there";
}

}  // namespace bitune
