#include "measure/json.hpp"

#include <nlohmann/json.hpp>

#include "measure/json_reading.hpp"
#include "model/key_type.hpp"

namespace bitune {

using json_reading::get;
using json_reading::member;
Json json_of(const Problem& problem) {
  return {{"operation", name_of(problem.operation)},
          {"key", name_of(problem.key)},
          {"value", name_of(problem.value)},
          {"order", name_of(problem.order)},
          {"n", problem.n},
          {"rows", problem.rows}};
}

Json json_of(const Configuration& configuration) {
  Json parameters = Json::object();
  for (const auto& [name, value] : configuration.parameters) parameters[name] = value;
  return {{"variant", configuration.variant}, {"parameters", parameters}, {"text", configuration.text()}};
}

Json json_of(const Protocol& protocol) {
  return {{"distribution", protocol.distribution}, {"seed", protocol.seed},
          {"cold_l2", protocol.cold_l2},           {"min_samples", protocol.min_samples},
          {"max_samples", protocol.max_samples},   {"sample_budget_ms", protocol.sample_budget_ms},
          {"precision", protocol.precision},       {"inputs", protocol.inputs}};
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
  return {{"problem", json_of(trial.problem)},
          {"configuration", json_of(trial.configuration)},
          {"kernel_digest", trial.kernel_digest},
          {"status", name_of(trial.status)},
          {"message", trial.message},
          {"median_us", median ? Json(*median) : Json()},
          {"samples_us", trial.samples_us},
          {"clock", json_of(trial.clock)},
          {"remeasured", trial.remeasured},
          {"compile_ms", trial.compile_ms},
          {"verify_ms", trial.verify_ms},
          {"measure_ms", trial.measure_ms},
          {"registers", trial.registers},
          {"local_bytes", trial.local_bytes},
          {"shared_bytes", trial.shared_bytes},
          {"launches", trial.launches},
          {"finalist", trial.finalist},
          {"timestamp", trial.timestamp}};
}

Json json_of(const DeviceInfo& info) {
  return {{"kind", info.kind},
          {"name", info.name},
          {"digest", info.digest()},
          {"compute_major", info.compute_major},
          {"compute_minor", info.compute_minor},
          {"sm_count", info.sm_count},
          {"warp_size", info.warp_size},
          {"max_threads_per_block", info.max_threads_per_block},
          {"max_threads_per_sm", info.max_threads_per_sm},
          {"max_blocks_per_sm", info.max_blocks_per_sm},
          {"registers_per_block", info.registers_per_block},
          {"registers_per_sm", info.registers_per_sm},
          {"shared_bytes_per_block", info.shared_bytes_per_block},
          {"shared_bytes_per_block_optin", info.shared_bytes_per_block_optin},
          {"shared_bytes_per_sm", info.shared_bytes_per_sm},
          {"l2_bytes", info.l2_bytes},
          {"memory_bytes", info.memory_bytes},
          {"cooperative_launch", info.cooperative_launch},
          {"max_cluster_size", info.max_cluster_size}};
}

Json json_of(const DeviceSoftware& software) {
  return {{"uuid", software.uuid}, {"driver", software.driver}, {"compiler", software.compiler}};
}

Problem problem_from(const Json& json) {
  Problem problem;
  problem.operation = parse_operation(get<std::string>(json, "operation"));
  problem.key = parse_key_type(get<std::string>(json, "key"));
  problem.value = parse_value_type(get<std::string>(json, "value"));
  problem.order = parse_order(get<std::string>(json, "order"));
  problem.n = get<std::uint64_t>(json, "n");
  problem.rows = get<std::uint64_t>(json, "rows");
  return problem;
}

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
  Trial trial;
  trial.problem = problem_from(member(json, "problem"));
  trial.configuration = configuration_from(member(json, "configuration"));
  trial.kernel_digest = get<std::string>(json, "kernel_digest");
  trial.status = parse_trial_status(get<std::string>(json, "status"));
  trial.message = get<std::string>(json, "message");
  trial.samples_us = get<std::vector<double>>(json, "samples_us");
  // Documents of before clocks were looked at have neither.
  if (json.contains("clock")) trial.clock = clock_from(json.at("clock"));
  if (json.contains("remeasured")) trial.remeasured = get<int>(json, "remeasured");
  trial.compile_ms = get<double>(json, "compile_ms");
  trial.verify_ms = get<double>(json, "verify_ms");
  trial.measure_ms = get<double>(json, "measure_ms");
  trial.registers = get<int>(json, "registers");
  trial.local_bytes = get<int>(json, "local_bytes");
  trial.shared_bytes = get<std::int64_t>(json, "shared_bytes");
  trial.launches = get<int>(json, "launches");
  trial.finalist = get<bool>(json, "finalist");
  trial.timestamp = get<std::string>(json, "timestamp");
  return trial;
}

DeviceInfo device_from(const Json& json) {
  DeviceInfo info;
  info.kind = get<std::string>(json, "kind");
  info.name = get<std::string>(json, "name");
  info.compute_major = get<int>(json, "compute_major");
  info.compute_minor = get<int>(json, "compute_minor");
  info.sm_count = get<int>(json, "sm_count");
  info.warp_size = get<int>(json, "warp_size");
  info.max_threads_per_block = get<int>(json, "max_threads_per_block");
  info.max_threads_per_sm = get<int>(json, "max_threads_per_sm");
  info.max_blocks_per_sm = get<int>(json, "max_blocks_per_sm");
  info.registers_per_block = get<int>(json, "registers_per_block");
  info.registers_per_sm = get<int>(json, "registers_per_sm");
  info.shared_bytes_per_block = get<std::int64_t>(json, "shared_bytes_per_block");
  info.shared_bytes_per_block_optin = get<std::int64_t>(json, "shared_bytes_per_block_optin");
  info.shared_bytes_per_sm = get<std::int64_t>(json, "shared_bytes_per_sm");
  info.l2_bytes = get<std::int64_t>(json, "l2_bytes");
  info.memory_bytes = get<std::int64_t>(json, "memory_bytes");
  info.cooperative_launch = get<bool>(json, "cooperative_launch");
  info.max_cluster_size = get<int>(json, "max_cluster_size");
  return info;
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace bitune
