#include "tuner/replay.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/statistics.hpp"

namespace bitune {
namespace {

/// The median of the first samples; nothing if the trial has no time.
std::optional<double> time_of(const Trial& trial, double fidelity) {
  if (trial.samples_us.empty()) return std::nullopt;
  const double share = std::ceil(fidelity * static_cast<double>(trial.samples_us.size()));
  const auto count = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(share), 1,
                                                static_cast<std::ptrdiff_t>(trial.samples_us.size()));
  return median_of({trial.samples_us.begin(), trial.samples_us.begin() + count});
}

/// One replay under way.
class Replay {
 public:
  Replay(const RecordedSpace& space, const StrategyEntry& entry, const ReplayOptions& options)
      : space_(space),
        options_(options),
        strategy_(entry.make(space.domain, options.seed)),
        fidelities_(space.trials.size(), 0) {}

  ReplayResult run() {
    while (!ended()) {
      const std::vector<Proposal> proposals = strategy_->propose(std::max<std::size_t>(options_.at_once, 1));
      if (proposals.empty()) break;
      for (const Proposal& proposal : proposals) {
        if (!ended()) evaluate(proposal);
      }
    }
    return result_;
  }

 private:
  [[nodiscard]] bool ended() const {
    return result_.evaluations >= options_.evaluations ||
           (options_.seconds && result_.seconds >= *options_.seconds) ||
           (options_.until_within && result_.first_within(*options_.until_within, space_.best_us));
  }

  void evaluate(const Proposal& proposal) {
    const Trial& trial = space_.trials[proposal.index];
    double& fidelity = fidelities_[proposal.index];
    // Compiling and verifying cost once.
    const double once_ms = fidelity == 0 ? trial.compile_ms + trial.verify_ms : 0;
    ++result_.evaluations;
    result_.seconds += (once_ms + trial.measure_ms * proposal.fidelity) / 1000;
    fidelity = proposal.fidelity;
    const std::optional<double> time_us = time_of(trial, proposal.fidelity);
    if (!time_us) {
      ++result_.failed;
    } else if (proposal.fidelity >= 1 && (result_.steps.empty() || *time_us < result_.steps.back().best_us)) {
      result_.steps.push_back({result_.evaluations, result_.seconds, *time_us, proposal.index});
    }
    strategy_->report(proposal.index, time_us);
  }

  const RecordedSpace& space_;
  const ReplayOptions& options_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<double> fidelities_;  ///< evaluated so far; 0: not at all
  ReplayResult result_;
};

}  // namespace

std::optional<ReplayStep> ReplayResult::first_within(double within, double best) const {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const ReplayStep& step) {
    return step.best_us <= (1 + within) * best;
  });
  return found == steps.end() ? std::nullopt : std::optional(*found);
}

ReplayResult replay(const RecordedSpace& space, const StrategyEntry& entry, const ReplayOptions& options) {
  return Replay(space, entry, options).run();
}

}  // namespace bitune
