#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "model/problem.hpp"
#include "tuner/exchange/readers.hpp"
#include "tuner/exchange/text_parts.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune::exchange {

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (kept) {
      plain += c;
    } else if (plain.empty() || plain.back() != '_') {
      plain += '_';
    }
  }
  return plain;
}

std::string results_text(const std::vector<const Series*>& series) {
  std::vector<std::string> rows;
  Json devices = Json::object();
  for (const Series* one : series) {
    const Trial& best = one->trials[one->best()];
    const std::string device = plain_name(one->device.name);
    devices[device] = {{"device", json_of(one->device)}, {"software", json_of(one->software)}};
    ObjectText row;
    row.add("device_name", Json(device));
    row.add("problem_size", Json(one->size_text()));
    row.add_raw("tunable_parameters", configuration_json(*one, best));
    row.add_raw("time", milliseconds_of_us(*best.median_us()));
    rows.push_back("\n" + row.text());
  }
  std::string text = fmt::format(
      "{{\n\"version_number\": \"1.0\",\n\"tunable_parameters\": {},\n\"kernel_name\": {},\n"
      "\"objective\": \"time\",\n\"objective_higher_is_better\": false,\n\"bitune\": {},\n\"data\": ",
      names_json(series.front()->parameters), text_json(series.front()->kernel_name()),
      line_of({{"version", exchange_version}, {"devices", devices}}));
  return text + list_of(rows) + "\n}\n";
}

std::string wisdom_text(const std::vector<const Series*>& series) {
  ObjectText head;
  head.add("version", Json("1.0"));
  head.add("objective", Json("time"));
  head.add_raw("tunable_parameters", names_json(series.front()->parameters));
  head.add("key", Json(series.front()->kernel_name()));
  std::string text = head.text() + "\n";
  for (const Series* one : series) {
    const Trial& best = one->trials[one->best()];
    ObjectText line;
    line.add_raw("config", "[" + values_text(*one, best, ", ") + "]");
    line.add("problem_size", Json{one->problem.n, one->problem.rows, 1});
    line.add_raw("time", milliseconds_of_us(*best.median_us()));
    line.add("environment", Json{{"device_name", one->device.name},
                                 {"compute_capability",
                                  fmt::format("{}.{}", one->device.compute_major, one->device.compute_minor)},
                                 {"driver", one->software.driver},
                                 {"compiler", one->software.compiler}});
    text += line.text() + "\n";
  }
  return text;
}

}  // namespace bitune::exchange
