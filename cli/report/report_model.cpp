#include "cli/report/report_model.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bitune/version.hpp"
#include "cli/report/comparison.hpp"
#include "cli/report/groups.hpp"
#include "cli/report/problem_section.hpp"
#include "runtime/variant.hpp"

namespace bitune::cli {
namespace {

Json device_json(const DeviceRow& row) {
  Json json = json_of(row.info);
  json["digest"] = row.info.digest();
  json["driver"] = row.software.driver;
  json["compiler"] = row.software.compiler;
  json["trials"] = row.trials;
  json["last_seen"] = row.last_seen;
  return json;
}

std::vector<TimesOverN> times_of_variants(std::span<const ProblemSection> sections,
                                          const ProblemGroup& group) {
  std::map<std::string, TimesOverN> variants;
  for (const std::size_t member : group.members) {
    for (const auto& [name, time] : sections[member].best) {
      TimesOverN& times = variants[name];
      times.name = name;
      if (times.points.empty() || times.points.back().n != time.n) {
        times.points.push_back(time);
      }
    }
  }
  std::vector<TimesOverN> all;
  all.reserve(variants.size());
  for (auto& [name, times] : variants) {
    all.push_back(std::move(times));
  }
  return all;
}

Json group_json(const DeviceRow& device, std::span<ProblemSection> sections, const ProblemGroup& group,
                std::span<const BenchRecord> bench) {
  Json json = {{"title", group.title}};
  json["crossovers"] = crossovers_json(crossovers(times_of_variants(sections, group)));
  std::vector<TunedProblem> tuned;
  Json members = Json::array();
  for (const std::size_t member : group.members) {
    if (sections[member].tuned) tuned.push_back(*sections[member].tuned);
    members.push_back(std::move(sections[member].json));
  }
  json["bench"] = comparison_json(records_about(bench, device.info.name, tuned), tuned);
  json["problems"] = std::move(members);
  return json;
}

// What each parameter means, of the variants that this bitune knows.
void describe(Json& descriptions, const ProblemSection& section, const DeviceInfo& device) {
  for (const auto& of_variant : section.best) {
    const std::string& name = of_variant.first;
    const auto known = std::find_if(variants().begin(), variants().end(),
                                    [&name](const Variant* one) { return one->name() == name; });
    if (descriptions.contains(name) || known == variants().end() ||
        !(*known)->supports(section.problem, device)) {
      continue;
    }
    Json parameters = Json::object();
    for (const Parameter& parameter : (*known)->space(section.problem, device).parameters) {
      parameters[parameter.name] = parameter.description;
    }
    descriptions[name] = {{"text", (*known)->description()}, {"parameters", std::move(parameters)}};
  }
}

// Points of convergence that each of so many problems may have, so that a page of thousands stays small.
std::size_t evaluations_each(std::size_t problems) {
  return std::clamp<std::size_t>(50'000 / std::max<std::size_t>(problems, 1), 50, 250);
}

}  // namespace

Json report_model(const TuningDatabase& database, const ReportRequest& request,
                  const ReportProgress& progress) {
  const auto summaries = database.summaries(request.filter);
  Json descriptions = Json::object();
  Json devices = Json::array();
  std::size_t done = 0;
  for (const DeviceRow& device : database.devices()) {
    std::vector<ProblemSection> sections;
    std::vector<Problem> problems;
    for (const ProblemSummary& summary : summaries) {
      if (summary.device_digest != device.info.digest()) {
        continue;
      }
      if (progress) {
        progress(done++, summaries.size());
      }
      sections.push_back(problem_section(database, summary.device_digest, summary.problem,
                                         evaluations_each(summaries.size())));
      problems.push_back(summary.problem);
      describe(descriptions, sections.back(), device.info);
    }
    if (sections.empty()) {
      continue;
    }
    Json json = device_json(device);
    Json groups = Json::array();
    for (const ProblemGroup& group : grouped(problems)) {
      groups.push_back(group_json(device, sections, group, request.bench));
    }
    json["groups"] = std::move(groups);
    devices.push_back(std::move(json));
  }
  return {{"bitune", BITUNE_VERSION},
          {"database", database.path().filename().string()},
          {"time", request.time},
          {"descriptions", std::move(descriptions)},
          {"devices", std::move(devices)}};
}

}  // namespace bitune::cli
