#include "measure/json.hpp"

#include <nlohmann/json.hpp>

#include "measure/json_fields.hpp"
#include "model/key_type.hpp"

namespace bitune {

using json_fields::get;
using json_fields::member;
Json json_of(const Problem& problem) { return json_fields::json_of_fields(problem); }

Json json_of(const Configuration& configuration) {
  Json parameters = Json::object();
  for (const auto& [name, value] : configuration.parameters) parameters[name] = value;
  return {{"variant", configuration.variant}, {"parameters", parameters}, {"text", configuration.text()}};
}

Json json_of(const Protocol& protocol) {
  Json json = {{"distribution", protocol.distribution}, {"seed", protocol.seed},
               {"cold_l2", protocol.cold_l2},           {"min_samples", protocol.min_samples},
               {"max_samples", protocol.max_samples},   {"sample_budget_ms", protocol.sample_budget_ms},
               {"precision", protocol.precision},       {"inputs", protocol.inputs}};
  if (!protocol.lengths.empty()) json["lengths"] = protocol.lengths;
  return json;
}

Json json_of(const ClockSummary& clock) {
  return {{"lowest_mhz", clock.is_known() ? Json(clock.lowest_mhz) : Json()},
          {"highest_mhz", clock.is_known() ? Json(clock.highest_mhz) : Json()},
          {"throttled", throttle_text(clock.throttled)}};
}

Json json_of(const SampleStatistics& statistics) {
  return {{"median_us", statistics.median},
          {"mad_us", statistics.mad},
          {"low_us", statistics.low},
          {"high_us", statistics.high}};
}

Json json_of(const Trial& trial) {
  const auto median = trial.median_us();
  Json json = {{"problem", json_of(trial.problem)},    {"configuration", json_of(trial.configuration)},
               {"kernel_digest", trial.kernel_digest}, {"median_us", median ? Json(*median) : Json()},
               {"samples_us", trial.samples_us},       {"clock", json_of(trial.clock)}};
  json.update(json_fields::json_of_fields(trial));
  return json;
}

Json json_of(const DeviceInfo& info) {
  Json json = json_fields::json_of_fields(info);
  json["digest"] = info.digest();
  return json;
}

Json json_of(const DeviceSoftware& software) {
  return {{"uuid", software.uuid}, {"driver", software.driver}, {"compiler", software.compiler}};
}

Problem problem_from(const Json& json) { return json_fields::fields_from<Problem>(json); }

Configuration configuration_from(const Json& json) {
  Configuration configuration;
  configuration.variant = get<std::string>(json, "variant");
  const Json& parameters = member(json, "parameters");
  for (const auto& [name, value] : parameters.items()) {
    configuration.parameters[name] = get<std::int64_t>(parameters, name.c_str());
  }
  return configuration;
}

Protocol protocol_from(const Json& json) {
  Protocol protocol;
  protocol.distribution = get<std::string>(json, "distribution");
  protocol.seed = get<std::uint64_t>(json, "seed");
  protocol.cold_l2 = get<bool>(json, "cold_l2");
  protocol.min_samples = get<int>(json, "min_samples");
  protocol.max_samples = get<int>(json, "max_samples");
  protocol.sample_budget_ms = get<double>(json, "sample_budget_ms");
  protocol.precision = json.contains("precision") ? get<double>(json, "precision") : 0;
  protocol.inputs = json.contains("inputs") ? get<int>(json, "inputs") : 1;
  if (json.contains("lengths")) protocol.lengths = get<std::string>(json, "lengths");
  return protocol;
}

ClockSummary clock_from(const Json& json) {
  ClockSummary clock;
  if (!member(json, "lowest_mhz").is_null()) clock.lowest_mhz = get<int>(json, "lowest_mhz");
  if (!member(json, "highest_mhz").is_null()) clock.highest_mhz = get<int>(json, "highest_mhz");
  clock.throttled = parse_throttle(get<std::string>(json, "throttled"));
  return clock;
}

Trial trial_from(const Json& json) {
  const Problem problem = problem_from(member(json, "problem"));
  Trial trial = json_fields::fields_from<Trial>(json);
  trial.problem = problem;
  trial.configuration = configuration_from(member(json, "configuration"));
  trial.kernel_digest = get<std::string>(json, "kernel_digest");
  trial.samples_us = get<std::vector<double>>(json, "samples_us");
  // Documents of before clocks were looked at have none.
  if (json.contains("clock")) trial.clock = clock_from(json.at("clock"));
  return trial;
}

DeviceInfo device_from(const Json& json) { return json_fields::fields_from<DeviceInfo>(json); }

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace bitune
