#pragma once

/// \file
/// The finals: the best few configurations of a search measured again in turn, since the winner of a noisy
/// search is partly luck.

#include <functional>
#include <optional>
#include <vector>

#include "tuner/session_state.hpp"

namespace bitune {

/// Who won, and who cannot be told from the winner.
struct FinalsResult {
  std::optional<Trial> best;
  std::vector<Trial> ties;
};

/// How many times slower a configuration must be for no noise to explain it.
inline constexpr double beyond_noise = 1.25;

/// How many times faster than an incumbent a configuration must be to take its place. Two measurements of one
/// configuration are nearly so far apart, as their memory is not the same.
inline constexpr double worth_a_change = 1.01;

/// How many times as long as another finalist one may take for normal keys, where it gains less for random
/// ones.
inline constexpr double most_for_normal_keys = 1.1;

/// The trials with the lowest medians, fastest first: at most `count`, and none that is slower than the
/// fastest by `beyond_noise`. Behind them the incumbents, whatever they took. A pure function.
[[nodiscard]] std::vector<Trial> contenders_of(const std::vector<Trial>& verified, int count,
                                               const std::vector<Trial>& incumbents = {});

/// Where no trial is `worth_a_change` faster than the fastest incumbent, those that are faster at all are no
/// finalists any more. So they rank behind it, and it stays what sorts take. A pure function.
void keep_incumbents(std::vector<Trial>& finalists, const std::vector<Trial>& incumbents);

/// Random floats are random bits, which nobody sorts. Those that people have are often near each other, and
/// some configurations take much longer for such. normal_us: what each takes for normally distributed keys;
/// 0 if that is not known. Where a trial takes `most_for_normal_keys` as long as another one for these, and
/// loses more by that than it gains for random keys, it is no finalist any more. A pure function.
void prefer_steady(std::vector<Trial>& finalists, const std::vector<double>& normal_us);

/// Ranks trials by the median of their samples, finalists before others. Ties are those whose median's
/// interval overlaps the winner's (`is_tie`). A pure function; trials that are not ok are left out.
[[nodiscard]] FinalsResult judge(std::vector<Trial> finalists);

/// The samples of several rounds, of each as many as the shortest has, evenly spaced: a round that the host
/// disturbed takes the most samples, and would decide alone. A pure function.
[[nodiscard]] std::vector<double> weighed_equally(const std::vector<std::vector<double>>& rounds);

/// Measures the contenders in turn (A B C A B C ...), for three rounds or until the deadline, but one round
/// in any case. The samples of all rounds, weighed equally, make one trial of each, stored with `finalist`
/// set, but for those that `prefer_steady` and `keep_incumbents` say. Floats are measured once more for that,
/// with normal keys, if random ones were asked for and there is time.
///
/// The winner is what sorts take from then on. Selection might rather take a finalist of an earlier session,
/// which the clock or chance may have favoured then. So that one and the winner are measured in turn.
///
/// If the session is stopped within the first round nothing is stored, and the contenders are ranked by the
/// trials that they came with. `show` is called after each measurement.
[[nodiscard]] FinalsResult run_finals(SessionState& session, const Problem& problem,
                                      std::vector<Trial> contenders, const std::vector<Trial>& incumbents,
                                      std::optional<SessionState::Clock::time_point> deadline,
                                      const std::function<void()>& show);

}  // namespace bitune
