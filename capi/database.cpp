// What a tuning database has.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "capi/call.hpp"
#include "capi/structs.hpp"
#include "measure/documents.hpp"
#include "measure/trial_filter.hpp"

namespace bitune::capi {
namespace {

/// A filter's JSON, as words.
struct Filter {
  FilterTexts texts;
  std::uint64_t limit = 0;
};

/// A text, or a number as its digits.
std::string text_of_member(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  throw Error(ErrorCode::usage, fmt::format("filter: '{}' is neither a text nor a whole number", name));
}

Filter filter_from(const char* json) {
  Filter filter;
  if (json == nullptr || *json == '\0') return filter;
  const Json given = Json::parse(json, nullptr, false);
  if (!given.is_object()) throw Error(ErrorCode::input, "filter: not a JSON object");
  for (const auto& [name, value] : given.items()) {
    const std::string text = text_of_member(name, value);
    if (name == "device")
      filter.texts.device = text;
    else if (name == "operation")
      filter.texts.operation = text;
    else if (name == "key")
      filter.texts.key = text;
    else if (name == "order")
      filter.texts.order = text;
    else if (name == "n")
      filter.texts.n = text;
    else if (name == "rows")
      filter.texts.rows = text;
    else if (name == "k")
      filter.texts.k = text;
    else if (name == "variant")
      filter.texts.variant = text;
    else if (name == "status")
      filter.texts.status = text;
    else if (name == "limit" && value.is_number_unsigned())
      filter.limit = value.get<std::uint64_t>();
    else
      throw Error(ErrorCode::usage,
                  fmt::format("filter: there is no '{}'; there are device, operation, key, order, n, rows, "
                              "variant, status and limit (a number)",
                              name));
  }
  return filter;
}

TuningDatabase open(const char* path) {
  const std::filesystem::path file =
      *text_or_empty(path) != '\0' ? std::filesystem::path(path) : TuningDatabase::default_path();
  if (std::error_code ignored; !std::filesystem::exists(file, ignored))
    throw Error(ErrorCode::database,
                fmt::format("there is no tuning database at {}; tuning makes one", file.string()));
  return {file, DatabaseMode::read_only};
}

Json document(const TuningDatabase& database, const std::string& what, const Filter& filter) {
  TrialFilter trials = filter_of(filter.texts, database);
  trials.limit = filter.limit;
  if (what == "problems") return problems_document(database, trials);
  if (what == "best") return best_document(database, trials);
  if (what == "trials") return trials_document(database, trials);
  if (what == "devices") return devices_document(database);
  throw Error(ErrorCode::usage, fmt::format("what: problems, best, trials or devices, not '{}'", what));
}

}  // namespace
}  // namespace bitune::capi

extern "C" bitune_status bitune_database_json(const char* path, const char* what, const char* filter_json,
                                              char** json) {
  using namespace bitune::capi;  // NOLINT(google-build-using-namespace)
  return guarded([&] {
    require(what, "what");
    require(json, "json");
    *json = nullptr;
    const Filter filter = filter_from(filter_json);
    *json = text_for_caller(bitune::line_of(document(open(path), what, filter)));
  });
}
