#pragma once

/// \file
/// JSON as text, for documents whose layout other tools rely on. Private to the exchange formats.

#include <string>
#include <string_view>
#include <vector>

#include "measure/json.hpp"
#include "tuner/exchange/series.hpp"

namespace bitune::exchange {

/// A text as JSON, quotes included; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string text_json(std::string_view text);

/// Microseconds as milliseconds, and milliseconds as they are: exact, with a decimal point.
[[nodiscard]] std::string milliseconds_of_us(double us);
[[nodiscard]] std::string milliseconds(double ms);
[[nodiscard]] std::string milliseconds_list(const std::vector<double>& samples_us);

/// An object, member by member.
class ObjectText {
 public:
  void add(std::string_view name, const Json& value);
  /// Adds what is JSON already.
  void add_raw(std::string_view name, std::string_view json);
  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// Parts of objects, joined: "[a, b]" and "{a, b}".
[[nodiscard]] std::string list_of(const std::vector<std::string>& parts);

/// Names of parameters as a JSON list.
[[nodiscard]] std::string names_json(const std::vector<std::string>& names);

/// The configuration as an object, parameters in the order of the series.
[[nodiscard]] std::string configuration_json(const Series& series, const Trial& trial);

/// Values of the configuration with `separator` between, in the order of the series: "32,4,1".
[[nodiscard]] std::string values_text(const Series& series, const Trial& trial, std::string_view separator);

/// What bitune adds to the formats of others, so that nothing is lost on the way back.
[[nodiscard]] std::string circumstances_json(const Series& series);

/// 1024, or [512, 65536] with rows: what Kernel Tuner compares.
[[nodiscard]] std::string problem_size_json(const Problem& problem);

/// "2022-12-23 12:11:26.411000+00:00"
[[nodiscard]] std::string timestamp_text(const std::string& timestamp);

}  // namespace bitune::exchange
