#include "tuner/exchange/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tuner/exchange/number_text.hpp"
#include "tuner/exchange/readers.hpp"

namespace bitune::exchange {

std::string text_json(std::string_view text) { return line_of(Json(text)); }

std::string milliseconds_of_us(double us) { return shifted_text(us, -3); }

std::string milliseconds(double ms) { return shifted_text(ms, 0); }

std::string milliseconds_list(const std::vector<double>& samples_us) {
  std::vector<std::string> parts;
  parts.reserve(samples_us.size());
  for (const double us : samples_us) parts.push_back(milliseconds_of_us(us));
  return list_of(parts);
}

void ObjectText::add_raw(std::string_view name, std::string_view json) {
  if (!members_.empty()) members_ += ", ";
  members_ += text_json(name);
  members_ += ": ";
  members_ += json;
}

void ObjectText::add(std::string_view name, const Json& value) {
  add_raw(name, value.is_number_float() ? milliseconds(value.get<double>()) : line_of(value));
}

std::string list_of(const std::vector<std::string>& parts) {
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string names_json(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) parts.push_back(text_json(name));
  return list_of(parts);
}

std::string configuration_json(const Series& series, const Trial& trial) {
  ObjectText object;
  for (const std::string& name : series.parameters) {
    object.add_raw(name, std::to_string(trial.configuration.at(name)));
  }
  return object.text();
}

std::string values_text(const Series& series, const Trial& trial, std::string_view separator) {
  std::vector<std::int64_t> values;
  values.reserve(series.parameters.size());
  for (const std::string& name : series.parameters) values.push_back(trial.configuration.at(name));
  return fmt::format("{}", fmt::join(values, separator));
}

std::string circumstances_json(const Series& series) {
  return line_of({{"version", exchange_version},
                  {"variant", series.variant},
                  {"problem", json_of(series.problem)},
                  {"kernel_digest", series.kernel_digest},
                  {"device", json_of(series.device)},
                  {"software", json_of(series.software)},
                  {"protocol", json_of(series.protocol)},
                  {"origin", series.origin}});
}

std::string problem_size_json(const Problem& problem) {
  return problem.rows == 1 ? std::to_string(problem.n) : fmt::format("[{}, {}]", problem.n, problem.rows);
}

std::string timestamp_text(const std::string& timestamp) { return timestamp + "000+00:00"; }

}  // namespace bitune::exchange
