#include "tuner/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "tuner/compile_pool.hpp"
#include "tuner/domain_index.hpp"
#include "tuner/finals.hpp"
#include "tuner/search.hpp"
#include "tuner/search_starts.hpp"
#include "tuner/session_engine.hpp"
#include "tuner/session_state.hpp"

namespace bitune {
namespace {

/// Share of a problem's time that the search may take where finals follow.
constexpr double search_share = 0.85;

using Clock = SessionState::Clock;

Clock::duration fraction_of(Clock::duration time, double fraction) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time) * fraction);
}

/// Until when this problem may take, so that those to come have their part: what it leaves flows on to them.
std::optional<Clock::time_point> deadline_of_problem(const SessionState& session) {
  if (!session.end) return std::nullopt;
  const Clock::time_point now = session.now();
  return now + fraction_of(std::max(*session.end - now, Clock::duration::zero()),
                           session.problems.part_of_time(session.share));
}

SearchLimits limits_of_search(const SessionState& session, std::optional<Clock::time_point> deadline) {
  SearchLimits limits;
  if (deadline) {
    const double share = session.request.finalists >= 1 ? search_share : 1;
    const Clock::time_point now = session.now();
    limits.deadline = now + fraction_of(*deadline - now, share);
  }
  if (session.share.evaluations) limits.evaluations = *session.share.evaluations;
  return limits;
}

/// Finalists of an earlier session that are still the finalists: nothing new was found, so nothing is
/// measured again.
std::vector<Trial> settled_finalists(const ProblemSearch& search, const KnownTrials& known,
                                     const std::vector<Trial>& contenders) {
  std::vector<Trial> settled;
  if (search.evaluated() > 0) return settled;
  for (const Trial& contender : contenders) {
    const auto found = known.finalists.find(contender.configuration.text());
    if (found != known.finalists.end()) settled.push_back(found->second);
  }
  return settled;
}

/// Of how many problems to come the first kernels are compiled while another one is under way.
constexpr std::size_t problems_ahead = 3;

/// Compiles what the search of the problem will begin with, as far as it is known now.
void compile_start(const SessionState& session, const Problem& problem, const std::stop_token& stop) {
  const std::vector<Configuration> domain = session.source.domain(problem).configurations;
  const Starts starts = starts_of(session, problem, DomainIndex(domain));
  for (std::size_t i = 0; i < starts.needed && !stop.stop_requested(); ++i) {
    static_cast<void>(session.source.compile(problem, starts.configurations[i], stop));
  }
}

void compile_ahead(SessionState& session, CompilePool& pool) {
  const std::vector<Problem>& problems = session.problems.problems();
  for (const std::size_t next : session.problems.upcoming(problems_ahead)) {
    if (!session.ahead.insert(next).second) continue;
    pool.ahead([&session, &problem = problems[next]](const std::stop_token& stop) {
      compile_start(session, problem, stop);
    });
  }
}

/// Configurations that were tried for the problem, with the kernels of today.
std::size_t tried_count(const SessionState& session, const Problem& problem) {
  const auto tried = session.database.tried(session.device.digest(), problem, session.request.protocol);
  return static_cast<std::size_t>(std::count_if(tried.begin(), tried.end(), [&session](const auto& one) {
    const auto& [configuration, digest] = one;
    const std::string_view variant = std::string_view(configuration).substr(0, configuration.find('('));
    return session.source.kernel_digest(variant) == digest;
  }));
}

TuneOutcome tune_problem(SessionState& session, CompilePool& pool) {
  const Problem& problem = session.problems.problems()[session.share.index];
  KnownTrials known;
  if (session.request.resume) {
    known =
        read_known_trials(session.database, session.device, problem, session.request.protocol,
                          [&session](std::string_view name) { return session.source.kernel_digest(name); });
  }
  const auto deadline = deadline_of_problem(session);
  ProblemSearch search(session, pool, problem, known);
  search.run(limits_of_search(session, deadline));

  TuneOutcome outcome;
  outcome.problem = problem;
  outcome.index = session.share.index;
  outcome.evaluated = search.evaluated();
  outcome.skipped = search.skipped();
  outcome.same_plan = search.same_plan();
  outcome.failed = search.failed();

  const std::vector<Trial> incumbents = search.verified_incumbents();
  std::vector<Trial> contenders = contenders_of(search.verified(), session.request.finalists, incumbents);
  std::vector<Trial> settled = settled_finalists(search, known, contenders);
  FinalsResult finals = !settled.empty() ? judge(std::move(settled))
                                         : run_finals(session, problem, std::move(contenders), incumbents,
                                                      deadline, [&search] { search.show(nullptr); });
  outcome.best = std::move(finals.best);
  outcome.ties = std::move(finals.ties);
  return outcome;
}

/// What would fail in every evaluation is refused before the first one.
void check_request(const TuneRequest& request) {
  (void)strategy(request.strategy);
  (void)parse_distribution(request.protocol.distribution);
  if (request.protocol.min_samples < 1 || request.protocol.max_samples < request.protocol.min_samples) {
    throw Error(ErrorCode::usage,
                fmt::format("samples {}..{} are no range: at least 1, and the most not below the least",
                            request.protocol.min_samples, request.protocol.max_samples));
  }
  const auto is_ragged = [](const Problem& problem) { return problem.ragged; };
  const auto begin = request.problems.begin();
  const auto end = request.problems.end();
  if (request.protocol.lengths.empty() ? std::any_of(begin, end, is_ragged)
                                       : !std::all_of(begin, end, is_ragged)) {
    throw Error(ErrorCode::usage,
                "lengths are of segments: give them with segments, and tune other shapes in another session");
  }
}

}  // namespace

void tune_share(const TuneRequest& request, ProblemQueue& problems, const TuningSource& source,
                const DeviceInfo& device, const DeviceSoftware& software, Evaluator& evaluator,
                TuningDatabase& database, const SessionReports& reports, const std::atomic<bool>& stop) {
  check_request(request);
  SessionState session{.request = request,
                       .problems = problems,
                       .source = source,
                       .device = device,
                       .evaluator = evaluator,
                       .database = database,
                       .progress = reports.progress,
                       .stop = stop,
                       .incumbents = {source, device, problems.problems(), database.path()},
                       .claims = Claims(database.path())};
  session.database_session = database.begin_session(device, software, request.protocol);
  if (request.budget_seconds) {
    session.end = session.begin + fraction_of(std::chrono::seconds(1), *request.budget_seconds);
  }
  // A budget is shared out as it is: there the problems that need least come first, and leave the rest to
  // others.
  if (request.resume && !request.budget_seconds && !request.budget_evaluations) {
    problems.begin_with_least_known(
        [&session](const Problem& problem) { return tried_count(session, problem); });
  }
  CompilePool pool(source, request.compile_threads);
  // Not when the time is over: of the problems that are left the incumbents are measured.
  const auto give_up = [&session] { return session.stopped(); };
  while (const auto share = problems.take(give_up)) {
    session.share = *share;
    compile_ahead(session, pool);
    const std::uint64_t before = session.evaluations;
    try {
      TuneOutcome outcome = tune_problem(session, pool);
      problems.finish(*share, session.evaluations - before);
      reports.outcome(std::move(outcome));
    } catch (const ProblemTimeout& error) {
      // It would be the same for each of its configurations: the other problems go on.
      problems.finish(*share, session.evaluations - before);
      TuneOutcome outcome;
      outcome.problem = problems.problems()[share->index];
      outcome.index = share->index;
      outcome.evaluated = session.evaluations - before;
      outcome.given_up = error.what();
      reports.outcome(std::move(outcome));
    } catch (...) {
      problems.give_back(*share, session.evaluations - before);
      throw;
    }
  }
}

std::vector<TuneOutcome> tune_with(const TuneRequest& request, const TuningSource& source,
                                   const DeviceInfo& device, const DeviceSoftware& software,
                                   Evaluator& evaluator, TuningDatabase& database,
                                   const std::function<void(const TuneProgress&)>& progress,
                                   const std::atomic<bool>& stop) {
  ProblemQueue problems(request.problems, 1, request.budget_evaluations);
  std::vector<TuneOutcome> outcomes;
  const SessionReports reports{progress,
                               [&outcomes](TuneOutcome outcome) { outcomes.push_back(std::move(outcome)); }};
  tune_share(request, problems, source, device, software, evaluator, database, reports, stop);
  std::sort(outcomes.begin(), outcomes.end(),
            [](const TuneOutcome& a, const TuneOutcome& b) { return a.index < b.index; });
  return outcomes;
}

std::vector<TuneOutcome> tune(const TuneRequest& request, const Device& device, KernelStore& kernels,
                              Evaluator& evaluator, TuningDatabase& database,
                              const std::function<void(const TuneProgress&)>& progress,
                              const std::atomic<bool>& stop) {
  const auto source = make_variant_source(request.variants, device.info(), kernels);
  return tune_with(request, *source, device.info(), device.software(), evaluator, database, progress, stop);
}

}  // namespace bitune
