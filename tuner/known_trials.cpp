#include "tuner/known_trials.hpp"

#include <algorithm>

namespace bitune {

std::optional<double> KnownTrials::time_us(const std::string& text) const {
  if (const auto found = ok.find(text); found != ok.end()) return found->second.median_us();
  if (const auto found = finalists.find(text); found != finalists.end()) return found->second.median_us();
  return std::nullopt;
}

KnownTrials read_known_trials(const TuningDatabase& database, const DeviceInfo& device,
                              const Problem& problem, const Protocol& protocol,
                              const KernelDigests& kernel_digests) {
  KnownTrials known;
  const std::string device_digest = device.digest();
  for (auto& [text, digest] : database.tried(device_digest, problem, protocol)) {
    const std::string_view variant_name = std::string_view(text).substr(0, text.find('('));
    if (digest == kernel_digests(variant_name)) known.tried.insert(text);
  }
  if (known.tried.empty()) return known;

  TrialFilter filter;
  static_cast<ProblemFilter&>(filter) = ProblemFilter::of(problem);
  filter.device_digest = device_digest;
  std::vector<TrialRow> rows = database.trials(filter);
  std::sort(rows.begin(), rows.end(), is_newer);
  std::set<std::string> failed;
  for (TrialRow& row : rows) {
    if (row.trial.problem != problem || row.protocol != protocol || !row.origin.empty()) continue;
    if (row.trial.kernel_digest != kernel_digests(row.trial.configuration.variant)) continue;
    const std::string text = row.trial.configuration.text();
    if (row.trial.status != TrialStatus::ok) failed.insert(text);
    // What stands has no newer trial that supersedes it: no failure, and none of its kind.
    if (failed.contains(text)) continue;
    auto& kept = row.trial.finalist ? known.finalists : known.ok;
    kept.try_emplace(text, std::move(row.trial));
  }
  return known;
}

}  // namespace bitune
