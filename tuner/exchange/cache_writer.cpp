#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/status_words.hpp"
#include "tuner/exchange/text_parts.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune::exchange {
namespace {

std::string line_text(const Series& series, const Trial& trial) {
  ObjectText line;
  for (const std::string& name : series.parameters) {
    line.add_raw(name, std::to_string(trial.configuration.at(name)));
  }
  line.add_raw("time", is_timed(trial) ? milliseconds_of_us(*trial.median_us())
                                       : text_json(kernel_tuner_word(trial.status)));
  if (!trial.samples_us.empty()) line.add_raw("times", milliseconds_list(trial.samples_us));
  line.add("compile_time", Json(trial.compile_ms));
  line.add("verification_time", Json(trial.verify_ms));
  line.add("benchmark_time", Json(trial.measure_ms));
  line.add("strategy_time", Json(0.0));
  line.add("framework_time", Json(0.0));
  line.add("timestamp", Json(timestamp_text(trial.timestamp)));
  line.add("status", Json(name_of(trial.status)));
  const Json further = further_facts(trial);
  for (const auto& [name, value] : further.items()) line.add(name, value);
  return line.text();
}

// The values that occur, in ascending order: the space that is recorded.
std::string tune_params_text(const Series& series) {
  ObjectText object;
  for (const std::string& name : series.parameters) {
    std::set<std::int64_t> values;
    for (const Trial& trial : series.trials) values.insert(trial.configuration.at(name));
    object.add_raw(name, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  return object.text();
}

}  // namespace

std::string cache_text(const Series& series, bool open) {
  std::string text = fmt::format(
      "{{\n\"device_name\": {},\n\"kernel_name\": {},\n\"problem_size\": {},\n\"tune_params_keys\": {},\n"
      "\"tune_params\": {},\n\"objective\": \"time\",\n\"bitune\": {},\n\"cache\": {{",
      text_json(series.device.name), text_json(series.kernel_name()), problem_size_json(series.problem),
      names_json(series.parameters), tune_params_text(series), circumstances_json(series));
  bool first = true;
  for (const Trial& trial : series.trials) {
    text += fmt::format("{}\n{}: {}", first ? "" : ",", text_json(values_text(series, trial, ",")),
                        line_text(series, trial));
    first = false;
  }
  // Kernel Tuner cuts these very bytes off when it goes on with the file.
  return text + (open ? "," : "}\n}");
}

}  // namespace bitune::exchange
