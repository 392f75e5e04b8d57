#include "cli/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/terminal.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tuner/json.hpp"

namespace bitune::cli {
namespace {

double keys_of(const Problem& problem) {
  return static_cast<double>(problem.n) * static_cast<double>(problem.rows);
}

Json json_of_outcome(const TuneOutcome& outcome) {
  Json ties = Json::array();
  for (const Trial& trial : outcome.ties) {
    ties.push_back(json_of(trial));
  }
  Json best;
  Json rate;
  if (outcome.best) {
    best = json_of(*outcome.best);
    if (const auto median = outcome.best->median_us(); median && *median > 0) {
      rate = keys_of(outcome.problem) / *median * 1e6;
    }
  }
  return {{"problem", json_of(outcome.problem)},
          {"evaluated", outcome.evaluated},
          {"skipped", outcome.skipped},
          {"same_plan", outcome.same_plan},
          {"failed", outcome.failed},
          {"best", best},
          {"keys_per_second", rate},
          {"ties", ties}};
}

}  // namespace

std::string progress_text(const TuneProgress& progress) {
  std::string text;
  if (progress.problem != nullptr) {
    text = fmt::format("{} {}{} ({}/{}) ", bitune::name_of(progress.problem->key),
                       size_text(progress.problem->n),
                       progress.problem->rows > 1 ? fmt::format(" x {}", progress.problem->rows) : "",
                       progress.problem_index + 1, progress.problem_count);
  }
  const double part = progress.candidates > 0
                          ? static_cast<double>(progress.evaluated) / static_cast<double>(progress.candidates)
                          : 0.0;
  text += fmt::format("{} {}/{}", ProgressLine::bar(part, 16), progress.evaluated, progress.candidates);
  if (progress.remaining_seconds) {
    text += fmt::format("  {} left", duration_text(std::max(0.0, *progress.remaining_seconds)));
  }
  if (progress.best != nullptr) {
    text += fmt::format("  best {} {}", microseconds_text(progress.best->median_us()),
                        progress.best->configuration.text());
  }
  return text;
}

std::string tune_text(std::span<const TuneOutcome> outcomes, const TuneSummary& summary) {
  Table table({{"key"},
               {"order"},
               {"n", Align::right},
               {"rows", Align::right},
               {"median", Align::right},
               {"rate", Align::right},
               {"evaluated", Align::right},
               {"skipped", Align::right},
               {"failed", Align::right},
               {"ties", Align::right},
               {"best configuration", Align::left, 20}});
  std::uint64_t evaluated = 0;
  for (const TuneOutcome& outcome : outcomes) {
    const auto median = outcome.best ? outcome.best->median_us() : std::nullopt;
    evaluated += outcome.evaluated;
    table.add({std::string(name_of(outcome.problem.key)),
               outcome.problem.order == Order::ascending ? "asc" : "desc", size_text(outcome.problem.n),
               std::to_string(outcome.problem.rows), microseconds_text(median),
               median ? rate_text(keys_of(outcome.problem), *median) : "-", std::to_string(outcome.evaluated),
               std::to_string(outcome.skipped), std::to_string(outcome.failed),
               std::to_string(outcome.ties.size()),
               outcome.best ? outcome.best->configuration.text() : "none"});
  }
  return fmt::format("{}\n{} trials in {} on {}, stored in {}\n", table.text(output_width()), evaluated,
                     duration_text(summary.seconds), summary.device, summary.database.string());
}

std::string tune_json(std::span<const TuneOutcome> outcomes, const TuneSummary& summary) {
  Json results = Json::array();
  for (const TuneOutcome& outcome : outcomes) {
    results.push_back(json_of_outcome(outcome));
  }
  const Json document = {{"device", summary.device},
                         {"database", summary.database.string()},
                         {"seconds", summary.seconds},
                         {"interrupted", summary.interrupted},
                         {"problems", results}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace bitune::cli
