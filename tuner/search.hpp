#pragma once

/// \file
/// The search of one problem: configurations proposed, compiled ahead, evaluated as they get ready, stored at
/// once.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile_pool.hpp"
#include "tuner/known_trials.hpp"
#include "tuner/session_state.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

/// Where a search ends at the latest. It also ends when the strategy has nothing left, and when the session
/// is stopped.
struct SearchLimits {
  std::optional<SessionState::Clock::time_point> deadline;  ///< not before all first guesses were tried
  std::uint64_t evaluations = ~std::uint64_t{0};
};

/// Searches one problem. Each configuration of the domain is in one state: untouched, under way (submitted to
/// the pool), or done (evaluated now, or known from before). A strategy hears of each of its proposals
/// exactly once, also of those that were done or under way when it proposed them.
class ProblemSearch {
 public:
  ProblemSearch(SessionState& session, CompilePool& pool, const Problem& problem, KnownTrials known);

  void run(const SearchLimits& limits);

  /// Verified trials, of now and known from before.
  [[nodiscard]] const std::vector<Trial>& verified() const noexcept { return verified_; }
  [[nodiscard]] std::uint64_t evaluated() const noexcept { return evaluated_; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }
  /// Shows the progress display where the search stands. `last` may be null.
  void show(const Trial* last) const;

 private:
  enum class State : std::uint8_t { untouched, under_way, done };
  struct Candidate {
    State state = State::untouched;
    bool known = false;     ///< done before this session
    bool proposed = false;  ///< and the strategy waits to hear of it
    std::optional<double> time_us;
  };

  [[nodiscard]] bool must_end(const SearchLimits& limits) const;
  /// Submits until the pool has enough to do. False if there is nothing left to submit or to wait for.
  bool refill(const SearchLimits& limits);
  /// The next configuration to evaluate; nothing if there is none now.
  std::optional<std::size_t> next();
  void take(const Compiled& compiled);
  [[nodiscard]] Trial evaluate(std::size_t index, const Compilation& compilation) const;
  void finish(std::size_t index, const Trial& trial);
  void tell_strategy(std::size_t index);
  [[nodiscard]] const Trial* best() const;
  [[nodiscard]] std::optional<double> remaining_seconds(double elapsed) const;

  SessionState& session_;
  CompilePool& pool_;
  Problem problem_;
  KnownTrials known_;
  SearchDomain domain_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<Candidate> candidates_;  ///< parallel to the domain's configurations
  std::deque<std::size_t> guesses_;    ///< before anything that the strategy proposes
  std::deque<std::size_t> proposals_;  ///< of the strategy, not looked at yet
  std::vector<Trial> verified_;
  std::optional<std::size_t> best_;  ///< index into verified_
  SessionState::Clock::time_point begin_ = SessionState::Clock::now();
  std::uint64_t to_evaluate_ = 0;  ///< configurations that are not known, within the budget
  std::uint64_t submitted_ = 0;
  std::uint64_t evaluated_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace bitune
