#pragma once

/// \file
/// The search of one problem: configurations proposed, compiled ahead, evaluated as they get ready, stored at
/// once.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/compile_pool.hpp"
#include "tuner/domain_index.hpp"
#include "tuner/known_trials.hpp"
#include "tuner/session_state.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

/// Where a search ends at the latest. It also ends when the strategy has nothing left, and when the session
/// is stopped.
struct SearchLimits {
  std::optional<SessionState::Clock::time_point> deadline;  ///< but starts that are needed are tried
  std::uint64_t evaluations = ~std::uint64_t{0};
};

/// Searches one problem. Configurations of the same plan are one candidate, the first of them that was met.
/// Each candidate is in one state: untouched, under way (submitted to the pool), or done (evaluated now, or
/// known from before). A strategy hears of each of its proposals exactly once, also of those that were done
/// or under way when it proposed them.
class ProblemSearch {
 public:
  ProblemSearch(SessionState& session, CompilePool& pool, const Problem& problem, KnownTrials known);

  void run(const SearchLimits& limits);

  /// Verified trials, of now and known from before.
  [[nodiscard]] const std::vector<Trial>& verified() const noexcept { return verified_; }
  /// Those of the incumbents, or of configurations with the same plans.
  [[nodiscard]] std::vector<Trial> verified_incumbents();
  [[nodiscard]] std::uint64_t evaluated() const noexcept { return evaluated_; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }
  /// Proposals that were not evaluated since another configuration has the same plan.
  [[nodiscard]] std::uint64_t same_plan() const noexcept { return same_plan_; }
  /// Shows the progress display where the search stands. `last` may be null.
  void show(const Trial* last) const;

 private:
  enum class State : std::uint8_t { untouched, under_way, done };
  struct Candidate {
    State state = State::untouched;
    bool known = false;   ///< done before this session
    double fidelity = 1;  ///< under way or done: share of the samples taken
    std::optional<double> time_us;
    std::vector<std::size_t> waiting;  ///< under way: the strategy's proposals that this one answers
  };

  [[nodiscard]] bool must_end(const SearchLimits& limits) const;
  /// Whether so many of the first starts have been tried, now or before.
  [[nodiscard]] bool has_tried_starts(std::size_t count) const;
  /// Submits until the pool has enough to do. False if there is nothing left to submit or to wait for.
  bool refill(const SearchLimits& limits);
  /// Whether what is submitted now is likely to be compiled before the deadline: if not, it would only keep
  /// the compilers from the next problem.
  [[nodiscard]] bool comes_in_time(const SearchLimits& limits) const;
  /// The next configuration to evaluate; nothing if there is none now.
  std::optional<Proposal> next();
  /// What is to be evaluated for a proposal; nothing if the strategy has heard of it, or will when what is
  /// under way ends.
  std::optional<Proposal> evaluation_for(const Proposal& proposal);
  /// The candidate that stands for this configuration.
  std::size_t candidate_of(std::size_t index);
  /// What is to be evaluated next: neither does another session, nor does anything else come first. Nothing
  /// after a moment without any.
  std::optional<Compiled> next_compiled();
  /// What sessions claim before they evaluate a configuration.
  [[nodiscard]] std::string claim_of(std::size_t index) const;
  void take(const Compiled& compiled);
  /// Takes over what another session has measured since this search began; false if there is nothing.
  bool take_over(std::size_t index);
  [[nodiscard]] Trial evaluate(std::size_t index, const Compilation& compilation) const;
  void finish(std::size_t index, const Trial& trial);
  /// The candidate is done, and who waits for it hears of it.
  void settle(std::size_t index, const Trial& trial);
  void keep_verified(std::size_t index, const Trial& trial);
  [[nodiscard]] const Trial* best() const;
  /// Evaluations, those done counted, if nothing but the budget ends the search.
  [[nodiscard]] std::uint64_t most_to_come() const;
  [[nodiscard]] std::optional<double> remaining_seconds(double elapsed) const;

  SessionState& session_;
  CompilePool& pool_;
  Problem problem_;
  KnownTrials known_;
  SearchDomain domain_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<Candidate> candidates_;  ///< parallel to the domain's configurations
  std::size_t next_start_ = 0;         ///< of the domain's, before anything that the strategy proposes
  std::size_t incumbents_ = 0;         ///< starts that are tried however late it is
  std::size_t needed_starts_ = 0;      ///< those and further ones, that are tried after the problem's time
  std::deque<Proposal> proposals_;     ///< of the strategy, not looked at yet
  std::unordered_map<std::string, std::size_t> by_plan_;  ///< digest to the first candidate seen of that plan
  std::deque<Compiled> elsewhere_;                        ///< compiled, but another session is measuring it
  std::vector<Trial> verified_;
  std::unordered_map<std::size_t, std::size_t> verified_at_;  ///< candidate to its place in verified_
  std::optional<std::size_t> best_;                           ///< index into verified_
  std::uint64_t most_evaluations_ = ~std::uint64_t{0};
  std::uint64_t to_evaluate_ = 0;  ///< candidates that were not known, as far as plans have been compared
  std::uint64_t submitted_ = 0;
  std::uint64_t evaluated_ = 0;
  double compile_ms_ = 0;  ///< of what was evaluated
  std::uint64_t skipped_ = 0;
  std::uint64_t same_plan_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace bitune
