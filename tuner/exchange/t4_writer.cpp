#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bitune/version.hpp"
#include "runtime/variant.hpp"
#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/status_words.hpp"
#include "tuner/exchange/text_parts.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune::exchange {
namespace {

std::string measurement(std::string_view name, const std::string& value, std::string_view unit) {
  ObjectText object;
  object.add_raw("name", text_json(name));
  object.add_raw("value", value);
  object.add_raw("unit", text_json(unit));
  return object.text();
}

std::string measurements_text(const Trial& trial) {
  std::vector<std::string> all;
  all.push_back(is_timed(trial) ? measurement("time", milliseconds_of_us(*trial.median_us()), "ms")
                                : measurement("time", text_json(kernel_tuner_word(trial.status)), ""));
  all.push_back(measurement("status", text_json(name_of(trial.status)), ""));
  const Json further = further_facts(trial);
  for (const auto& [name, value] : further.items()) {
    // The schema has no truth values.
    const Json shown = value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value;
    const std::string_view unit = name.ends_with("_bytes") ? "B" : name.ends_with("_mhz") ? "MHz" : "";
    all.push_back(measurement(
        name, shown.is_number_float() ? milliseconds(shown.get<double>()) : line_of(shown), unit));
  }
  return list_of(all);
}

std::string extent_text(const Dim3& extent) {
  return fmt::format("{{\"x\": {}, \"y\": {}, \"z\": {}}}", extent[0], extent[1], extent[2]);
}

// Resources of the first kernel of the plan. The object has all of its members, or is left out: it needs a
// configuration that was compiled, and that the variant still has.
std::optional<std::string> compilation_text(const Series& series, const Variant* family, const Trial& trial) {
  if (family == nullptr || trial.registers == 0 || !family->supports(series.problem, series.device))
    return {};
  const SearchSpace space = family->space(series.problem, series.device);
  if (space.violation(trial.configuration, series.problem, series.device)) return {};
  const Plan plan = family->plan(series.problem, trial.configuration, series.device);
  if (plan.launches.empty()) return {};
  const Launch& launch = plan.launches.front();
  Dim3 global = launch.grid;
  for (std::size_t i = 0; i < global.size(); ++i) global[i] *= launch.block[i];
  ObjectText object;
  // Kernels are compiled for just the threads of their block, and use no constant memory of their own.
  object.add("max_work_group_size", Json(launch.block[0] * launch.block[1] * launch.block[2]));
  object.add("local_memory_size", Json(trial.shared_bytes));
  object.add("private_memory_size", Json(trial.local_bytes));
  object.add("constant_memory_size", Json(0));
  object.add("registers", Json(trial.registers));
  object.add_raw("global_size", extent_text(global));
  object.add_raw("local_size", extent_text(launch.block));
  return object.text();
}

std::string result_text(const Series& series, const Variant* family, const Trial& trial) {
  ObjectText times;
  times.add("compilation_time", Json(trial.compile_ms));
  times.add("compilation", Json(trial.compile_ms));
  times.add("benchmark", Json(trial.measure_ms));
  times.add("framework", Json(0.0));
  times.add("search_algorithm", Json(0.0));
  times.add("validation", Json(trial.verify_ms));
  times.add_raw("runtimes", milliseconds_list(trial.samples_us));

  ObjectText result;
  result.add("timestamp", Json(timestamp_text(trial.timestamp)));
  result.add_raw("configuration", configuration_json(series, trial));
  result.add_raw("objectives", "[\"time\"]");
  result.add_raw("times", times.text());
  result.add("invalidity", Json(t4_word(trial.status)));
  result.add("correctness", Json(is_timed(trial) ? 1 : 0));
  result.add_raw("measurements", measurements_text(trial));
  if (const auto compilation = compilation_text(series, family, trial)) {
    result.add_raw("compilation_data", *compilation);
  }
  return result.text();
}

}  // namespace

std::string t4_text(const Series& series) {
  const auto known = std::find_if(variants().begin(), variants().end(),
                                  [&](const Variant* family) { return family->name() == series.variant; });
  const Variant* family = known == variants().end() ? nullptr : *known;
  std::string newest;
  for (const Trial& trial : series.trials) newest = std::max(newest, trial.timestamp);

  ObjectText metadata;
  metadata.add("compute_api", Json("CUDA"));
  metadata.add("platform", Json(series.software.driver));
  metadata.add("device", Json(series.device.name));
  metadata.add("autotuner", Json("bitune"));
  metadata.add("autotuner_version", Json(BITUNE_VERSION));
  metadata.add("timestamp", Json(timestamp_text(newest)));
  metadata.add("timeunit", Json("milliseconds"));
  metadata.add_raw("bitune", circumstances_json(series));

  std::string text =
      fmt::format("{{\n\"schema_version\": \"1.1.0\",\n\"metadata\": {},\n\"results\": [", metadata.text());
  bool first = true;
  for (const Trial& trial : series.trials) {
    text += (first ? "\n" : ",\n") + result_text(series, family, trial);
    first = false;
  }
  return text + "\n]\n}\n";
}

}  // namespace bitune::exchange
