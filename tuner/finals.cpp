#include "tuner/finals.hpp"

#include <algorithm>
#include <utility>

#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "model/standing.hpp"
#include "model/statistics.hpp"
#include "model/timestamp.hpp"

namespace bitune {
namespace {

constexpr int rounds = 3;

bool faster(const Trial& a, const Trial& b) { return a.median_us() < b.median_us(); }

/// As the database ranks them.
bool ranks_before(const Trial& a, const Trial& b) {
  return TrialRank{a.finalist, *a.median_us(), 0} < TrialRank{b.finalist, *b.median_us(), 0};
}

/// A round takes its share of the samples that the protocol allows, so that all rounds together cost one
/// measurement.
Protocol protocol_of_round(Protocol protocol) {
  protocol.max_samples = std::max(protocol.min_samples, protocol.max_samples / rounds);
  protocol.sample_budget_ms /= rounds;
  return protocol;
}

/// A contender on its way through the rounds.
struct Finalist {
  Trial trial;
  std::vector<std::vector<double>> rounds_us;

  explicit Finalist(const Trial& contender) : trial(contender) {
    trial.samples_us.clear();
    trial.clock = {};
    trial.remeasured = 0;
    trial.message.clear();
    trial.finalist = true;
    trial.compile_ms = trial.verify_ms = trial.measure_ms = 0;
    trial.timestamp = timestamp_now();
  }

  /// A round that failed makes the finalist a failure.
  void add(Trial round) {
    trial.measure_ms += round.measure_ms;
    trial.clock.add(round.clock);
    trial.remeasured += round.remeasured;
    if (round.status == TrialStatus::ok) {
      rounds_us.push_back(std::move(round.samples_us));
      trial.samples_us = weighed_equally(rounds_us);
      return;
    }
    trial.status = round.status;
    trial.message = round.message;
    trial.samples_us.clear();
  }
};

bool was_measured(const Trial& trial) { return trial.status == TrialStatus::ok && trial.median_us(); }

/// The trial of this configuration; the end if there is none.
template <class Trials>
auto find(Trials& trials, const Configuration& configuration) {
  return std::find_if(trials.begin(), trials.end(),
                      [&configuration](const Trial& trial) { return trial.configuration == configuration; });
}

/// It was verified when it was tried; now only its time is in question.
Trial measured_again(SessionState& session, const Problem& problem, const Configuration& configuration,
                     const Protocol& protocol, const std::function<void()>& show) {
  Trial trial = session.evaluate({.problem = problem,
                                  .configuration = configuration,
                                  .protocol = protocol,
                                  .verify = false,
                                  .abandon_above_us = 0});
  show();
  return trial;
}

/// What each of these takes for normal keys; 0 where that failed, and nothing if the session is stopped.
std::vector<double> measured_with_normal_keys(SessionState& session, const Problem& problem,
                                              const std::vector<Trial>& finalists,
                                              const std::function<void()>& show) {
  Protocol protocol = protocol_of_round(session.request.protocol);
  protocol.distribution = name_of(Distribution::normal);
  std::vector<double> normal_us;
  for (const Trial& finalist : finalists) {
    if (session.stopped()) return {};
    normal_us.push_back(0);
    if (!was_measured(finalist)) continue;
    const Trial trial = measured_again(session, problem, finalist.configuration, protocol, show);
    if (was_measured(trial)) normal_us.back() = *trial.median_us();
  }
  return normal_us;
}

/// Whether it is asked what finalists take for normal keys.
bool normal_keys_matter(const SessionState& session, const Problem& problem) {
  return is_floating_point(problem.key) &&
         session.request.protocol.distribution == name_of(Distribution::random);
}

/// Measures the contenders in turn and stores a trial of each. Nothing if the session was stopped within the
/// first round.
std::optional<std::vector<Trial>> measure_in_turn(SessionState& session, const Problem& problem,
                                                  const std::vector<Trial>& contenders,
                                                  const std::vector<Trial>& incumbents,
                                                  std::optional<SessionState::Clock::time_point> deadline,
                                                  const std::function<void()>& show) {
  std::vector<Finalist> finalists(contenders.begin(), contenders.end());
  const Protocol protocol = protocol_of_round(session.request.protocol);
  for (int round = 0; round < rounds; ++round) {
    if (round > 0 && deadline && session.now() >= *deadline) break;
    for (Finalist& finalist : finalists) {
      if (session.stopped() && round == 0) return std::nullopt;
      if (session.stopped()) break;
      if (finalist.trial.status != TrialStatus::ok) continue;
      finalist.add(measured_again(session, problem, finalist.trial.configuration, protocol, show));
    }
  }
  std::vector<Trial> trials;
  trials.reserve(finalists.size());
  for (Finalist& finalist : finalists) trials.push_back(std::move(finalist.trial));
  const bool is_late = deadline && session.now() >= *deadline;
  if (trials.size() > 1 && normal_keys_matter(session, problem) && !is_late) {
    prefer_steady(trials, measured_with_normal_keys(session, problem, trials, show));
  }
  keep_incumbents(trials, incumbents);
  for (const Trial& trial : trials) session.database.store(session.database_session, trial);
  return trials;
}

/// The trial of an earlier session for which sorts would take its configuration rather than another one that
/// was tuned for this problem; nothing if it is of this configuration, or none is.
std::optional<Trial> taken_instead_of(const Configuration& winner, const SessionState& session,
                                      const Problem& problem) {
  const auto selected = session.source.selected(problem, read_candidates(problem, session.database.path()));
  if (!selected || selected->match != MatchKind::exact || selected->configuration == winner) {
    return std::nullopt;
  }
  const auto row = session.database.trial(selected->evidence->trial_id);
  return row ? std::optional(row->trial) : std::nullopt;
}

}  // namespace

std::vector<Trial> contenders_of(const std::vector<Trial>& verified, int count,
                                 const std::vector<Trial>& incumbents) {
  std::vector<Trial> sorted = verified;
  std::erase_if(sorted, [](const Trial& trial) { return !was_measured(trial); });
  std::stable_sort(sorted.begin(), sorted.end(), faster);
  if (sorted.empty()) return sorted;
  const double limit = *sorted.front().median_us() * beyond_noise;
  std::erase_if(sorted, [limit](const Trial& trial) { return *trial.median_us() > limit; });
  const auto most = static_cast<std::size_t>(std::max(count, 1));
  if (sorted.size() > most) sorted.resize(most);
  for (const Trial& incumbent : incumbents) {
    if (was_measured(incumbent) && find(sorted, incumbent.configuration) == sorted.end()) {
      sorted.push_back(incumbent);
    }
  }
  return sorted;
}

std::vector<double> weighed_equally(const std::vector<std::vector<double>>& rounds) {
  std::vector<double> samples;
  if (rounds.empty()) return samples;
  std::size_t least = rounds.front().size();
  for (const auto& round : rounds) least = std::min(least, round.size());
  for (const auto& round : rounds) {
    for (std::size_t i = 0; i < least; ++i) samples.push_back(round[i * round.size() / least]);
  }
  return samples;
}

void prefer_steady(std::vector<Trial>& finalists, const std::vector<double>& normal_us) {
  if (normal_us.size() != finalists.size()) return;
  const auto is_known = [&](std::size_t i) { return normal_us[i] > 0 && was_measured(finalists[i]); };
  const auto random_us = [&](std::size_t i) { return *finalists[i].median_us(); };
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    for (std::size_t other = 0; other < finalists.size() && is_known(i); ++other) {
      if (!is_known(other) || normal_us[i] <= most_for_normal_keys * normal_us[other]) continue;
      if (random_us(i) * normal_us[i] > random_us(other) * normal_us[other]) finalists[i].finalist = false;
    }
  }
}

void keep_incumbents(std::vector<Trial>& finalists, const std::vector<Trial>& incumbents) {
  std::optional<double> of_incumbents;
  std::optional<double> of_all;
  for (const Trial& trial : finalists) {
    if (!was_measured(trial) || !trial.finalist) continue;
    const double us = *trial.median_us();
    of_all = std::min(us, of_all.value_or(us));
    if (find(incumbents, trial.configuration) != incumbents.end()) {
      of_incumbents = std::min(us, of_incumbents.value_or(us));
    }
  }
  if (!of_incumbents || *of_all * worth_a_change <= *of_incumbents) return;
  for (Trial& trial : finalists) {
    if (was_measured(trial) && *trial.median_us() < *of_incumbents) trial.finalist = false;
  }
}

FinalsResult judge(std::vector<Trial> finalists) {
  std::erase_if(finalists, [](const Trial& trial) { return !was_measured(trial); });
  std::stable_sort(finalists.begin(), finalists.end(), ranks_before);
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
                        const std::vector<Trial>& incumbents,
                        std::optional<SessionState::Clock::time_point> deadline,
                        const std::function<void()>& show) {
  // A single one, too: the database ranks finalists before other trials, of earlier sessions as well.
  if (session.request.finalists < 1) return judge(std::move(contenders));

  std::optional<std::vector<Trial>> measured =
      measure_in_turn(session, problem, contenders, incumbents, deadline, show);
  if (!measured) return judge(std::move(contenders));
  std::vector<Trial> finalists = std::move(*measured);
  FinalsResult result = judge(finalists);
  while (result.best && !session.stopped()) {
    const std::optional<Trial> other = taken_instead_of(result.best->configuration, session, problem);
    // Each is met once.
    if (!other || find(finalists, other->configuration) != finalists.end()) break;
    measured = measure_in_turn(session, problem, {*result.best, *other}, {}, deadline, show);
    if (!measured) break;
    *find(finalists, result.best->configuration) = std::move(measured->front());
    finalists.push_back(std::move(measured->back()));
    result = judge(finalists);
  }
  return result;
}

}  // namespace bitune
