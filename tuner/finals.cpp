#include "tuner/finals.hpp"

#include <algorithm>
#include <utility>

#include "model/statistics.hpp"
#include "tuner/timestamp.hpp"

namespace bitune {
namespace {

constexpr int rounds = 3;

bool faster(const Trial& a, const Trial& b) { return a.median_us() < b.median_us(); }

/// A round takes its share of the samples that the protocol allows, so that all rounds together cost one
/// measurement.
Protocol protocol_of_round(Protocol protocol) {
  protocol.max_samples = std::max(protocol.min_samples, protocol.max_samples / rounds);
  protocol.sample_budget_ms /= rounds;
  return protocol;
}

/// Adds one round's samples; a round that failed makes the finalist a failure.
void merge(Trial& finalist, const Trial& round) {
  finalist.measure_ms += round.measure_ms;
  finalist.clock.add(round.clock);
  finalist.remeasured += round.remeasured;
  if (round.status != TrialStatus::ok) {
    finalist.status = round.status;
    finalist.message = round.message;
    finalist.samples_us.clear();
    return;
  }
  finalist.samples_us.insert(finalist.samples_us.end(), round.samples_us.begin(), round.samples_us.end());
}

}  // namespace

std::vector<Trial> contenders_of(const std::vector<Trial>& verified, int count) {
  std::vector<Trial> sorted = verified;
  std::erase_if(sorted,
                [](const Trial& trial) { return trial.status != TrialStatus::ok || !trial.median_us(); });
  std::stable_sort(sorted.begin(), sorted.end(), faster);
  if (sorted.empty()) return sorted;
  const double limit = *sorted.front().median_us() * beyond_noise;
  std::erase_if(sorted, [limit](const Trial& trial) { return *trial.median_us() > limit; });
  const auto most = static_cast<std::size_t>(std::max(count, 1));
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

FinalsResult judge(std::vector<Trial> finalists) {
  std::erase_if(finalists,
                [](const Trial& trial) { return trial.status != TrialStatus::ok || !trial.median_us(); });
  std::stable_sort(finalists.begin(), finalists.end(), faster);
  FinalsResult result;
  for (Trial& trial : finalists) {
    if (!result.best) {
      result.best = std::move(trial);
    } else if (is_tie(result.best->samples_us, trial.samples_us)) {
      result.ties.push_back(std::move(trial));
    }
  }
  return result;
}

FinalsResult run_finals(SessionState& session, const Problem& problem, std::vector<Trial> contenders,
                        std::optional<SessionState::Clock::time_point> deadline,
                        const std::function<void()>& show) {
  // A single one, too: the database ranks finalists before other trials, of earlier sessions as well.
  if (session.request.finalists < 1) return judge(std::move(contenders));

  std::vector<Trial> finalists = contenders;
  for (Trial& finalist : finalists) {
    finalist.samples_us.clear();
    finalist.clock = {};
    finalist.remeasured = 0;
    finalist.message.clear();
    finalist.finalist = true;
    finalist.compile_ms = finalist.verify_ms = finalist.measure_ms = 0;
    finalist.timestamp = timestamp_now();
  }
  const Protocol protocol = protocol_of_round(session.request.protocol);
  for (int round = 0; round < rounds; ++round) {
    if (round > 0 && deadline && SessionState::Clock::now() >= *deadline) break;
    for (Trial& finalist : finalists) {
      if (session.stopped() && round == 0) return judge(std::move(contenders));
      if (session.stopped()) break;
      if (finalist.status != TrialStatus::ok) continue;
      // It was verified when it was tried; now only its time is in question.
      merge(finalist, session.evaluate({.problem = problem,
                                        .configuration = finalist.configuration,
                                        .protocol = protocol,
                                        .verify = false,
                                        .abandon_above_us = 0}));
      show();
    }
  }
  for (const Trial& finalist : finalists) session.database.store(session.database_session, finalist);
  return judge(std::move(finalists));
}

}  // namespace bitune
