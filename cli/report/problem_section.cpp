#include "cli/report/problem_section.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/report/distribution.hpp"
#include "cli/report/effects.hpp"
#include "cli/report/progress.hpp"
#include "cli/report/standing.hpp"
#include "model/clock.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"

namespace bitune::cli {
namespace {

constexpr std::size_t shown_leaders = 10;

MedianInterval interval_of(const TrialRow& row) {
  const SampleStatistics statistics = row.statistics.value_or(SampleStatistics{});
  return {statistics.median, statistics.low, statistics.high};
}

void add_interval(Json& json, const TrialRow& row) {
  const MedianInterval interval = interval_of(row);
  json["us"] = rounded(interval.median);
  json["low"] = rounded(interval.low);
  json["high"] = rounded(interval.high);
}

Json parameters_json(const Configuration& configuration) {
  Json parameters = Json::object();
  for (const auto& [name, value] : configuration.parameters) {
    parameters[name] = value;
  }
  return parameters;
}

Json best_json(const TrialRow& row) {
  const Trial& trial = row.trial;
  Json json = {{"trial", row.id}, {"variant", trial.configuration.variant}};
  add_interval(json, row);
  const MedianInterval interval = interval_of(row);
  json["coverage"] = rounded(coverage_of(trial.samples_us, interval.low, interval.high));
  json["parameters"] = parameters_json(trial.configuration);
  json["finalist"] = trial.finalist;
  Json samples = Json::array();
  for (const double us : trial.samples_us) {
    samples.push_back(rounded(us));
  }
  json["samples"] = std::move(samples);
  json["registers"] = trial.registers;
  json["shared_bytes"] = trial.shared_bytes;
  json["launches"] = trial.launches;
  if (trial.clock.is_known()) {
    json["clock_mhz"] = {trial.clock.lowest_mhz, trial.clock.highest_mhz};
    json["throttled"] = throttle_text(trial.clock.throttled);
  }
  json["protocol"] = row.protocol.text();
  json["kernels"] = trial.kernel_digest;
  json["driver"] = row.software.driver;
  json["compiler"] = row.software.compiler;
  json["time"] = trial.timestamp;
  return json;
}

// The values of the parameters that the variant's configurations have, in the order of their names; null for
// one that this configuration lacks.
Json values_json(const Configuration& configuration, const Json& variants) {
  const auto variant = std::find_if(variants.begin(), variants.end(), [&configuration](const Json& one) {
    return one["name"] == configuration.variant;
  });
  std::set<std::string> names;
  for (const char* kind : {"varied", "fixed"}) {
    for (const auto& [name, values] : (*variant)[kind].items()) {
      names.insert(name);
    }
  }
  Json values = Json::array();
  for (const std::string& name : names) {
    const auto value = configuration.parameters.find(name);
    values.push_back(value == configuration.parameters.end() ? Json(nullptr) : Json(value->second));
  }
  return values;
}

Json leaders_json(const TuningDatabase& database, std::span<const Standing> all, const Json& variants) {
  Json leaders = Json::array();
  std::optional<MedianInterval> best;
  for (const Standing& standing : all.first(std::min(all.size(), shown_leaders))) {
    const auto row = database.trial(standing.trial);
    if (!row) {
      continue;
    }
    Json leader = {{"trial", row->id},
                   {"variant", row->trial.configuration.variant},
                   {"values", values_json(row->trial.configuration, variants)}};
    add_interval(leader, *row);
    leader["finalist"] = row->trial.finalist;
    best = best.value_or(interval_of(*row));
    leader["tie"] = is_tie(*best, interval_of(*row));
    leaders.push_back(std::move(leader));
  }
  return leaders;
}

Json tried_json(const std::vector<TriedParameter>& parameters) {
  Json json = Json::object();
  for (const TriedParameter& parameter : parameters) {
    json[parameter.name] = parameter.values;
  }
  return json;
}

// Each winner is a list: trial, time, place of its value of each varied parameter.
Json variant_json(const TuningDatabase& database, const std::string& name, std::span<const Standing> all) {
  Json json = {{"name", name}};
  const std::vector<Standing> own = of_variant(all, name);
  if (!own.empty()) {
    if (const auto row = database.trial(own.front().trial)) {
      add_interval(json, *row);
    }
  }
  const Effects effects = effects_of(own);
  json["varied"] = tried_json(effects.varied);
  json["fixed"] = tried_json(effects.fixed);
  Json winners = Json::array();
  for (const Winner& winner : effects.winners) {
    Json line = {winner.trial, rounded(winner.us)};
    for (const std::size_t place : winner.values) {
      line.push_back(place);
    }
    winners.push_back(std::move(line));
  }
  json["winners"] = std::move(winners);
  return json;
}

Json distribution_json(std::span<const Standing> all) {
  const Distribution distribution = distribution_of(all);
  Json json = {{"low", rounded(distribution.low_us)},
               {"high", rounded(distribution.high_us)},
               {"bins", distribution.bins},
               {"median", rounded(distribution.median_us)}};
  Json counts = Json::object();
  for (const auto& [variant, bins] : distribution.counts) {
    counts[variant] = bins;
  }
  json["counts"] = std::move(counts);
  Json within = Json::array();
  for (const double factor : {1.01, 1.05, 1.1, 1.5, 2.0}) {
    within.push_back({factor, count_within(all, all.front().us * factor)});
  }
  json["within"] = std::move(within);
  return json;
}

// Each point is a list: place, time, place of the variant among `variants`.
Json points_json(const std::vector<EvaluationPoint>& points, const std::vector<std::string>& variants) {
  Json json = Json::array();
  for (const EvaluationPoint& point : points) {
    const auto at = std::lower_bound(variants.begin(), variants.end(), point.variant);
    json.push_back({point.place, rounded(point.us), at - variants.begin()});
  }
  return json;
}

Json failures_json(const Evidence& evidence) {
  Json failures = Json::array();
  for (const FailureKind& kind : failures_of(evidence)) {
    failures.push_back({{"status", name_of(kind.status)},
                        {"variant", kind.variant},
                        {"count", kind.count},
                        {"trial", kind.example},
                        {"message", kind.message}});
  }
  return failures;
}

}  // namespace

ProblemSection problem_section(const TuningDatabase& database, const std::string& device_digest,
                               const Problem& problem, std::size_t most_evaluations) {
  const Evidence evidence = database.evidence(device_digest, problem);
  const std::vector<Standing> all = standings(evidence);
  ProblemSection section{
      problem,
      {{"n", problem.n}, {"rows", problem.rows}, {"keys", keys_in_all(problem)}, {"text", text_of(problem)}},
      {},
      {}};
  Json& json = section.json;
  json["trials"] = evidence.trials.size();
  json["left_out"] = evidence.left_out;
  json["valid"] = all.size();
  if (!all.empty()) {
    if (const auto row = database.trial(all.front().trial)) {
      json["best"] = best_json(*row);
      section.tuned = {problem, row->trial.configuration.text(), row->trial.kernel_digest,
                       row->protocol.distribution, row->protocol.cold_l2};
    }
    json["distribution"] = distribution_json(all);
  }
  Json variants = Json::array();
  const std::vector<std::string> names = variants_in(evidence);
  for (const std::string& name : names) {
    variants.push_back(variant_json(database, name, all));
    if (const Json& own = variants.back(); own.contains("us")) {
      section.best[name] = {problem.n, own["us"], own["low"], own["high"]};
    }
  }
  json["leaders"] = leaders_json(database, all, variants);
  json["variants"] = std::move(variants);
  const Convergence convergence = convergence_of(evidence, most_evaluations);
  json["convergence"] = {{"evaluations", convergence.evaluations},
                         {"improvements", points_json(convergence.improvements, names)},
                         {"sample", points_json(convergence.sample, names)}};
  json["failures"] = failures_json(evidence);
  return section;
}

}  // namespace bitune::cli
