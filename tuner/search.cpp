#include "tuner/search.hpp"

#include <algorithm>
#include <utility>

#include "tuner/timestamp.hpp"

namespace bitune {
namespace {

/// A configuration that many times slower than the best need not be measured to the end.
constexpr double plainly_slower = 3;
constexpr auto tick = std::chrono::milliseconds(100);

}  // namespace

ProblemSearch::ProblemSearch(SessionState& session, CompilePool& pool, const Problem& problem,
                             KnownTrials known)
    : session_(session),
      pool_(pool),
      problem_(problem),
      known_(std::move(known)),
      domain_(session.source.domain(problem)),
      candidates_(domain_.configurations.size()) {
  std::map<std::string, std::size_t> by_text;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const auto [entry, added] = by_text.emplace(domain_.configurations[i].text(), i);
    Candidate& candidate = candidates_[i];
    if (known_.tried.contains(entry->first)) {
      candidate = {.state = State::done, .known = true, .time_us = known_.time_us(entry->first)};
    } else {
      ++to_evaluate_;
    }
  }
  for (const Configuration& guess : session.source.first_guesses(problem)) {
    const auto found = by_text.find(guess.text());
    if (found != by_text.end()) guesses_.push_back(found->second);
  }
  domain_.starts.assign(guesses_.begin(), guesses_.end());
  strategy_ = strategy(session.request.strategy).make(domain_, session.request.seed);
  for (const auto& [text, trial] : known_.ok) {
    if (!by_text.contains(text)) continue;  // of a variant that is not searched now
    verified_.push_back(trial);
    if (!best_ || trial.median_us() < verified_[*best_].median_us()) best_ = verified_.size() - 1;
  }
}

void ProblemSearch::run(const SearchLimits& limits) {
  to_evaluate_ = std::min(to_evaluate_, limits.evaluations);
  show(nullptr);
  while (!must_end(limits) && refill(limits)) {
    if (const std::optional<Compiled> compiled = pool_.wait_for(tick)) {
      take(*compiled);
    } else {
      show(nullptr);
    }
  }
  pool_.discard();
}

bool ProblemSearch::must_end(const SearchLimits& limits) const {
  if (session_.stopped() || session_.out_of_time()) return true;
  const bool late = limits.deadline && SessionState::Clock::now() >= *limits.deadline;
  return late && std::all_of(domain_.starts.begin(), domain_.starts.end(),
                             [this](std::size_t guess) { return candidates_[guess].state == State::done; });
}

bool ProblemSearch::refill(const SearchLimits& limits) {
  while (submitted_ < limits.evaluations && pool_.outstanding() < pool_.capacity()) {
    const std::optional<std::size_t> index = next();
    if (!index) break;
    candidates_[*index].state = State::under_way;
    pool_.submit(*index, problem_, domain_.configurations[*index]);
    ++submitted_;
  }
  return pool_.outstanding() > 0;
}

std::optional<std::size_t> ProblemSearch::next() {
  while (!session_.stopped()) {
    if (!guesses_.empty()) {
      const std::size_t index = guesses_.front();
      guesses_.pop_front();
      if (candidates_[index].state == State::untouched) return index;
      continue;
    }
    if (proposals_.empty()) {
      // A strategy that proposes nothing has finished, or waits for reports: it is asked again after the next
      // one.
      for (const std::size_t index : strategy_->propose(pool_.capacity())) proposals_.push_back(index);
      if (proposals_.empty()) return std::nullopt;
    }
    const std::size_t index = proposals_.front();
    proposals_.pop_front();
    candidates_[index].proposed = true;
    if (candidates_[index].state == State::untouched) return index;
    if (candidates_[index].state == State::done) {
      if (candidates_[index].known) ++skipped_;
      tell_strategy(index);
    }
  }
  return std::nullopt;
}

void ProblemSearch::take(const Compiled& compiled) {
  if (compiled.compilation.fatal) std::rethrow_exception(compiled.compilation.fatal);
  // Ctrl-C reaches a compiler that runs as a process too: its failure then says nothing of the configuration.
  if (session_.stopped() && compiled.compilation.status != TrialStatus::ok) return;
  finish(compiled.index, evaluate(compiled.index, compiled.compilation));
}

Trial ProblemSearch::evaluate(std::size_t index, const Compilation& compilation) const {
  const Configuration& configuration = domain_.configurations[index];
  Trial trial;
  if (compilation.status == TrialStatus::ok) {
    const Trial* fastest = best();
    trial = session_.evaluate(
        {.problem = problem_,
         .configuration = configuration,
         .protocol = session_.request.protocol,
         .verify = true,
         .abandon_above_us = fastest ? plainly_slower * fastest->median_us().value_or(0) : 0});
  } else {
    trial.problem = problem_;
    trial.configuration = configuration;
    trial.kernel_digest = session_.source.kernel_digest();
    trial.status = compilation.status;
    trial.message = compilation.message;
    trial.registers = std::max(compilation.registers, 0);
    trial.local_bytes = std::max(compilation.local_bytes, 0);
    trial.launches = compilation.launches;
    trial.timestamp = timestamp_now();
  }
  trial.compile_ms += compilation.compile_ms;
  return trial;
}

void ProblemSearch::finish(std::size_t index, const Trial& trial) {
  session_.database.store(session_.database_session, trial);
  ++evaluated_;
  ++session_.evaluations;
  Candidate& candidate = candidates_[index];
  candidate.state = State::done;
  if (trial.status == TrialStatus::ok) {
    candidate.time_us = trial.median_us();
  } else {
    ++failed_;
  }
  if (candidate.proposed) tell_strategy(index);
  if (candidate.time_us) {
    verified_.push_back(trial);
    if (!best_ || *candidate.time_us < *verified_[*best_].median_us()) best_ = verified_.size() - 1;
  }
  show(&trial);
}

void ProblemSearch::tell_strategy(std::size_t index) { strategy_->report(index, candidates_[index].time_us); }

const Trial* ProblemSearch::best() const { return best_ ? &verified_[*best_] : nullptr; }

void ProblemSearch::show(const Trial* last) const {
  if (!session_.progress) return;
  using Seconds = std::chrono::duration<double>;
  TuneProgress progress;
  progress.problem = &problem_;
  progress.problem_index = session_.problem_index;
  progress.problem_count = session_.request.problems.size();
  progress.evaluated = evaluated_;
  progress.candidates = to_evaluate_;
  progress.elapsed_seconds = Seconds(SessionState::Clock::now() - session_.begin).count();
  progress.remaining_seconds = remaining_seconds(progress.elapsed_seconds);
  progress.last = last;
  progress.best = best();
  session_.progress(progress);
}

std::optional<double> ProblemSearch::remaining_seconds(double elapsed) const {
  using Seconds = std::chrono::duration<double>;
  std::optional<double> remaining;
  if (session_.evaluations > 0) {
    // Problems to come are taken to be like this one.
    const double each = elapsed / static_cast<double>(session_.evaluations);
    const auto here = static_cast<double>(to_evaluate_ - std::min(to_evaluate_, evaluated_));
    const auto later = static_cast<double>(to_evaluate_ * (session_.problems_left() - 1));
    remaining = each * (here + later);
  }
  if (session_.end) {
    const double left = std::max(0.0, Seconds(*session_.end - SessionState::Clock::now()).count());
    remaining = remaining ? std::min(*remaining, left) : left;
  }
  return remaining;
}

}  // namespace bitune
