#include "tuner/known_trials.hpp"

namespace bitune {

std::optional<double> KnownTrials::time_us(const std::string& text) const {
  if (const auto found = ok.find(text); found != ok.end()) return found->second.median_us();
  if (const auto found = finalists.find(text); found != finalists.end()) return found->second.median_us();
  return std::nullopt;
}

KnownTrials read_known_trials(const TuningDatabase& database, const DeviceInfo& device,
                              const Problem& problem, const Protocol& protocol,
                              const std::string& kernel_digest) {
  KnownTrials known;
  const std::string device_digest = device.digest();
  for (auto& [text, digest] : database.tried(device_digest, problem, protocol)) {
    if (digest == kernel_digest) known.tried.insert(text);
  }
  if (known.tried.empty()) return known;

  TrialFilter filter;
  filter.device_digest = device_digest;
  filter.key = problem.key;
  filter.order = problem.order;
  filter.n = problem.n;
  filter.rows = problem.rows;
  filter.status = TrialStatus::ok;
  filter.kernel_digest = kernel_digest;
  for (TrialRow& row : database.trials(filter)) {  // newest first: the first of a configuration stays
    if (row.trial.problem != problem || row.protocol != protocol) continue;
    auto& kept = row.trial.finalist ? known.finalists : known.ok;
    kept.try_emplace(row.trial.configuration.text(), std::move(row.trial));
  }
  return known;
}

}  // namespace bitune
