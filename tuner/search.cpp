#include "tuner/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "model/problem.hpp"
#include "tuner/finals.hpp"
#include "tuner/search_starts.hpp"

namespace bitune {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(100);

/// Adds what may be of a variant that is not searched.
void add_missing(SearchDomain& domain, std::vector<Configuration> configurations) {
  const DomainIndex index(domain.configurations);
  std::erase_if(configurations, [&index](const Configuration& configuration) {
    return index.find(configuration).has_value();
  });
  std::move(configurations.begin(), configurations.end(), std::back_inserter(domain.configurations));
}

/// A share of the samples, and of their time; all of the rest is as it was.
Protocol protocol_at(Protocol protocol, double fidelity) {
  const auto share = [fidelity](int samples) {
    return std::max(1, static_cast<int>(std::lround(fidelity * samples)));
  };
  protocol.max_samples = share(protocol.max_samples);
  protocol.min_samples = std::min(protocol.min_samples, protocol.max_samples);
  protocol.sample_budget_ms *= fidelity;
  return protocol;
}

}  // namespace

ProblemSearch::ProblemSearch(SessionState& session, CompilePool& pool, const Problem& problem,
                             KnownTrials known)
    : session_(session),
      pool_(pool),
      problem_(problem),
      known_(std::move(known)),
      domain_(session.source.domain(problem)) {
  add_missing(domain_, session.incumbents_of(problem));
  candidates_.resize(domain_.configurations.size());
  const DomainIndex index(domain_.configurations);
  to_evaluate_ = candidates_.size();
  for (const std::string& text : known_.tried) {
    // Others are of a variant that is not searched now.
    const std::optional<std::size_t> found = index.find(text);
    if (!found) continue;
    candidates_[*found] = {
        .state = State::done, .known = true, .time_us = known_.time_us(text), .waiting = {}};
    --to_evaluate_;
    const std::string digest = session.source.plan_digest(problem, domain_.configurations[*found]);
    if (!digest.empty()) by_plan_.emplace(digest, *found);
  }
  for (const auto& [text, trial] : known_.ok) {
    if (const auto found = index.find(text)) keep_verified(*found, trial);
  }
  const Starts starts = starts_of(session, problem, index);
  for (const Configuration& start : starts.configurations) domain_.starts.push_back(*index.find(start));
  incumbents_ = starts.incumbents;
  needed_starts_ = starts.needed;
  strategy_ = strategy(session.request.strategy).make(domain_, session.request.seed);
}

void ProblemSearch::run(const SearchLimits& limits) {
  most_evaluations_ = limits.evaluations;
  show(nullptr);
  while (!must_end(limits) && refill(limits)) {
    if (const std::optional<Compiled> compiled = next_compiled()) {
      take(*compiled);
      session_.claims.give_up(claim_of(compiled->index));
    } else {
      show(nullptr);
    }
  }
  pool_.discard();
}

std::string ProblemSearch::claim_of(std::size_t index) const {
  const Configuration& configuration = domain_.configurations[index];
  return fmt::format("{} | {} | {} | {} | {}", session_.device.digest(), text_of(problem_),
                     configuration.text(), session_.source.kernel_digest(configuration.variant),
                     session_.request.protocol.text());
}

std::optional<Compiled> ProblemSearch::next_compiled() {
  // Who measures everything anew asks nobody.
  if (!session_.request.resume) return pool_.wait_for(poll_interval);
  for (auto other = elsewhere_.begin(); other != elsewhere_.end(); ++other) {
    if (!session_.claims.take(claim_of(other->index))) continue;
    Compiled compiled = std::move(*other);
    elsewhere_.erase(other);
    return compiled;
  }
  constexpr auto until_asked_again = std::chrono::milliseconds(5);
  std::optional<Compiled> compiled = pool_.wait_for(elsewhere_.empty() ? poll_interval : until_asked_again);
  if (!compiled || session_.claims.take(claim_of(compiled->index))) return compiled;
  elsewhere_.push_back(*std::move(compiled));
  return std::nullopt;
}

std::vector<Trial> ProblemSearch::verified_incumbents() {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < incumbents_; ++i) {
    const auto found = verified_at_.find(candidate_of(domain_.starts[i]));
    if (found != verified_at_.end()) trials.push_back(verified_[found->second]);
  }
  return trials;
}

bool ProblemSearch::must_end(const SearchLimits& limits) const {
  if (session_.stopped()) return true;
  // Whatever was tuned before it, the problem must not get slower.
  if (!has_tried_starts(incumbents_)) return false;
  if (session_.out_of_time()) return true;
  const bool late = limits.deadline && session_.now() >= *limits.deadline;
  if (!late) return false;
  // A problem that comes late still has these evaluated while the session's time lasts. If all have failed it
  // goes on with further starts, so that it does not end without a sound configuration. All starts of every
  // problem would take the time of those after it.
  if (!best_ && next_start_ < domain_.starts.size()) return false;
  return has_tried_starts(needed_starts_);
}

bool ProblemSearch::has_tried_starts(std::size_t count) const {
  return std::all_of(domain_.starts.begin(), domain_.starts.begin() + static_cast<std::ptrdiff_t>(count),
                     [this](std::size_t start) { return candidates_[start].state == State::done; });
}

bool ProblemSearch::comes_in_time(const SearchLimits& limits) const {
  if (!limits.deadline || next_start_ < needed_starts_) return true;
  const SessionState::Clock::time_point now = session_.now();
  if (now >= *limits.deadline)
    return !best_ && next_start_ < domain_.starts.size() && pool_.outstanding() == 0;
  if (evaluated_ == 0) return true;
  const double turns =
      1 + 2 * static_cast<double>(pool_.outstanding()) / static_cast<double>(pool_.capacity());
  const std::chrono::duration<double, std::milli> wait(turns * compile_ms_ / static_cast<double>(evaluated_));
  return now + wait < *limits.deadline;
}

bool ProblemSearch::refill(const SearchLimits& limits) {
  const auto has_room = [this] { return pool_.outstanding() + elsewhere_.size() < pool_.capacity(); };
  while (submitted_ < limits.evaluations && has_room() && comes_in_time(limits)) {
    const std::optional<Proposal> proposal = next();
    if (!proposal) break;
    candidates_[proposal->index].state = State::under_way;
    candidates_[proposal->index].fidelity = proposal->fidelity;
    pool_.submit(proposal->index, problem_, domain_.configurations[proposal->index]);
    ++submitted_;
  }
  return pool_.outstanding() > 0 || !elsewhere_.empty();
}

std::optional<Proposal> ProblemSearch::next() {
  while (!session_.stopped()) {
    if (next_start_ < domain_.starts.size()) {
      const std::size_t start = candidate_of(domain_.starts[next_start_++]);
      if (candidates_[start].state == State::untouched) return Proposal{.index = start};
      continue;
    }
    if (proposals_.empty()) {
      // A strategy that proposes nothing has finished, or waits for reports: it is asked again after the next
      // one.
      for (const Proposal& proposal : strategy_->propose(pool_.capacity())) proposals_.push_back(proposal);
      if (proposals_.empty()) return std::nullopt;
    }
    const Proposal proposal = proposals_.front();
    proposals_.pop_front();
    if (const auto evaluation = evaluation_for(proposal)) return evaluation;
  }
  return std::nullopt;
}

std::optional<Proposal> ProblemSearch::evaluation_for(const Proposal& proposal) {
  const std::size_t index = candidate_of(proposal.index);
  Candidate& candidate = candidates_[index];
  const bool briefly = candidate.time_us && candidate.fidelity < proposal.fidelity;
  if (candidate.state == State::done && !briefly) {
    if (candidate.known) ++skipped_;
    strategy_->report(proposal.index, candidate.time_us);
    return std::nullopt;
  }
  candidate.waiting.push_back(proposal.index);
  if (candidate.state == State::under_way) return std::nullopt;
  return Proposal{.index = index, .fidelity = proposal.fidelity};
}

std::size_t ProblemSearch::candidate_of(std::size_t index) {
  const std::string digest = session_.source.plan_digest(problem_, domain_.configurations[index]);
  if (digest.empty()) return index;
  const std::size_t candidate = by_plan_.emplace(digest, index).first->second;
  if (candidate != index && candidates_[index].state == State::untouched) {
    candidates_[index].state = State::done;
    ++same_plan_;
    --to_evaluate_;
  }
  return candidate;
}

void ProblemSearch::take(const Compiled& compiled) {
  if (compiled.compilation.fatal) std::rethrow_exception(compiled.compilation.fatal);
  // Ctrl-C reaches a compiler that runs as a process too: its failure then says nothing of the configuration.
  if (session_.stopped() && compiled.compilation.status != TrialStatus::ok) return;
  if (!take_over(compiled.index)) finish(compiled.index, evaluate(compiled.index, compiled.compilation));
}

bool ProblemSearch::take_over(std::size_t index) {
  // What was verified here is measured again only to know it better.
  if (!session_.request.resume || verified_at_.contains(index)) return false;
  Trial like = begun_trial(problem_, domain_.configurations[index]);
  like.kernel_digest = session_.source.kernel_digest(like.configuration.variant);
  const auto row = session_.database.measured(session_.device.digest(), like, session_.request.protocol);
  if (!row) return false;
  ++skipped_;
  --submitted_;
  --to_evaluate_;
  candidates_[index].known = true;
  settle(index, row->trial);
  return true;
}

Trial ProblemSearch::evaluate(std::size_t index, const Compilation& compilation) const {
  const Configuration& configuration = domain_.configurations[index];
  Trial trial;
  if (compilation.status == TrialStatus::ok) {
    const Trial* fastest = best();
    const double fidelity = candidates_[index].fidelity;
    // What is stopped early is further behind than what finals take, so that it can never win.
    trial = session_.evaluate(
        {.problem = problem_,
         .configuration = configuration,
         .protocol = protocol_at(session_.request.protocol, fidelity),
         .verify = !verified_at_.contains(index),
         .abandon_above_us = fastest ? beyond_noise * fastest->median_us().value_or(0) : 0});
    if (fidelity < 1 && trial.status == TrialStatus::ok && trial.message.empty()) {
      trial.message = fmt::format("measured briefly: {} samples", trial.samples_us.size());
    }
  } else {
    trial = begun_trial(problem_, configuration);
    trial.kernel_digest = session_.source.kernel_digest(configuration.variant);
    trial.status = compilation.status;
    trial.message = compilation.message;
    trial.registers = std::max(compilation.registers, 0);
    trial.local_bytes = std::max(compilation.local_bytes, 0);
    trial.launches = compilation.launches;
  }
  trial.compile_ms += compilation.compile_ms;
  return trial;
}

void ProblemSearch::finish(std::size_t index, const Trial& trial) {
  session_.database.store(session_.database_session, trial);
  ++evaluated_;
  compile_ms_ += trial.compile_ms;
  ++session_.evaluations;
  if (trial.status != TrialStatus::ok) ++failed_;
  settle(index, trial);
}

void ProblemSearch::settle(std::size_t index, const Trial& trial) {
  Candidate& candidate = candidates_[index];
  candidate.state = State::done;
  candidate.time_us = trial.status == TrialStatus::ok ? trial.median_us() : std::nullopt;
  for (const std::size_t proposal : std::exchange(candidate.waiting, {})) {
    strategy_->report(proposal, candidate.time_us);
  }
  keep_verified(index, trial);
  show(&trial);
}

void ProblemSearch::keep_verified(std::size_t index, const Trial& trial) {
  const auto faster = [](const Trial& a, const Trial& b) { return a.median_us() < b.median_us(); };
  if (const auto found = verified_at_.find(index); found != verified_at_.end()) {
    // Measured again, for longer: that may have cost it the lead. A failure leaves it in its place, where the
    // finals meet it.
    if (trial.status == TrialStatus::ok && trial.median_us()) verified_[found->second] = trial;
    const auto best = std::min_element(verified_.begin(), verified_.end(), faster);
    best_ = static_cast<std::size_t>(best - verified_.begin());
  } else if (trial.status == TrialStatus::ok && trial.median_us()) {
    verified_at_.emplace(index, verified_.size());
    verified_.push_back(trial);
    if (!best_ || faster(trial, verified_[*best_])) best_ = verified_.size() - 1;
  }
}

const Trial* ProblemSearch::best() const { return best_ ? &verified_[*best_] : nullptr; }

void ProblemSearch::show(const Trial* last) const {
  if (!session_.progress) return;
  using Seconds = std::chrono::duration<double>;
  TuneProgress progress;
  progress.problem = &problem_;
  progress.problem_index = session_.share.index;
  progress.problem_count = session_.problems.problems().size();
  progress.evaluated = evaluated_;
  progress.candidates = most_to_come();
  progress.elapsed_seconds = Seconds(session_.now() - session_.begin).count();
  progress.remaining_seconds = remaining_seconds(progress.elapsed_seconds);
  progress.last = last;
  progress.best = best();
  session_.progress(progress);
}

std::uint64_t ProblemSearch::most_to_come() const {
  return std::min(std::max(to_evaluate_, evaluated_), most_evaluations_);
}

std::optional<double> ProblemSearch::remaining_seconds(double elapsed) const {
  using Seconds = std::chrono::duration<double>;
  std::optional<double> remaining;
  if (session_.evaluations > 0) {
    // Problems to come are taken to be like this one.
    const double each = elapsed / static_cast<double>(session_.evaluations);
    const std::uint64_t most = most_to_come();
    const auto here = static_cast<double>(most - std::min(most, evaluated_));
    const auto later = static_cast<double>(most * (session_.problems_left() - 1));
    remaining = each * (here + later);
  }
  if (session_.end) {
    const double left = std::max(0.0, Seconds(*session_.end - session_.now()).count());
    remaining = remaining ? std::min(*remaining, left) : left;
  }
  return remaining;
}

}  // namespace bitune
