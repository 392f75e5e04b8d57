#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <tuple>

#include "bench/records.hpp"
#include "bitune/error.hpp"
#include "cache/atomic_file.hpp"
#include "measure/json_fields.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view method_prefix = "peer_";
constexpr std::string_view method_suffix = "_us";

std::string method_member(std::string_view method) {
  return fmt::format("{}{}{}", method_prefix, method, method_suffix);
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The member that a field of the problem has in records: they said "key_type" before there were others.
std::string member_of(std::string_view field) { return field == "key" ? "key_type" : std::string(field); }

/// The fields of the problem, and what people look for and would have to reckon.
void add_problem(const BenchRecord& record, Json& json) {
  const Problem& problem = record.problem;
  const Json fields = json_fields::json_of_fields(problem);
  for (const auto& [name, value] : fields.items()) json[member_of(name)] = value;
  json["shape"] = name_of(problem.kind());
  json["keys"] = key_count(problem);
  if (problem.ragged) {
    json["segments"] = problem.rows;
    json["lengths"] = record.lengths;
    json["mean_length"] =
        static_cast<double>(problem.n) / static_cast<double>(std::max<std::uint64_t>(problem.rows, 1));
  }
  json["gpus"] = record.gpus;
}

Problem problem_in(const Json& json) {
  Json fields = json;
  fields["key"] = json.at(member_of("key"));
  if (!json.contains("operation"))
    fields["operation"] = name_of(SortSpec{}.operation);  // older records sort keys
  return json_fields::fields_from<Problem>(fields);
}

Json json_of(const BenchRecord& record) {
  Json json = {{"suite", record.suite}, {"peer", record.peer}, {"distribution", record.distribution}};
  add_problem(record, json);
  json["bitune_us"] = record.bitune_us;
  if (record.graph_us) json["graph_us"] = *record.graph_us;
  if (record.between_us) json["between_us"] = *record.between_us;
  if (record.start) {
    json["cuda_start_us"] = record.start->cuda_start_us;
    json["first_us"] = record.start->first_us;
    json["second_us"] = record.start->second_us;
    json["compiled_processes"] = record.start->compiled;
  }
  json["peer_us"] = optional_json(record.peer_us);
  json["ratio"] = optional_json(record.ratio);
  json["configuration"] = record.configuration;
  json["match"] = record.match;
  json["verified"] = record.verified;
  json["form"] = record.form;
  json["peer_method"] = record.peer_method;
  for (const auto& [method, us] : record.methods_us) json[method_member(method)] = us;
  if (!record.kernel.empty()) json["kernel"] = record.kernel;
  json["expected_us"] = optional_json(record.expected_us);
  json["gkeys_per_s"] = record.gkeys_per_s;
  json["peer_gkeys_per_s"] = optional_json(record.peer_gkeys_per_s);
  json["samples"] = record.samples;
  json["peer_samples"] = record.peer_samples;
  json["batch"] = record.batch;
  json["device"] = record.device;
  json["driver"] = record.driver;
  json["peer_version"] = record.peer_version;
  if (record.workspace_bytes != 0) json["workspace_bytes"] = record.workspace_bytes;
  json["date"] = record.date;
  if (record.torch_us) {
    json["torch_us"] = *record.torch_us;
    if (record.torch_bytes) json["torch_bytes"] = *record.torch_bytes;
    json["torch_version"] = record.torch_version;
  }
  return json;
}

std::optional<double> optional_number(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

BenchRecord record_from(const Json& json) {
  BenchRecord record;
  record.suite = json.at("suite").get<std::string>();
  record.peer = json.at("peer").get<std::string>();
  record.problem = problem_in(json);
  record.distribution = json.value("distribution", record.distribution);
  record.lengths = json.value("lengths", record.lengths);
  record.gpus = json.value("gpus", record.gpus);
  record.bitune_us = json.at("bitune_us").get<double>();
  record.graph_us = optional_number(json, "graph_us");
  record.between_us = optional_number(json, "between_us");
  if (json.contains("first_us")) {
    record.start = {.cuda_start_us = json.at("cuda_start_us").get<double>(),
                    .first_us = json.at("first_us").get<double>(),
                    .second_us = json.at("second_us").get<double>(),
                    .compiled = json.value("compiled_processes", 0)};
  }
  record.peer_us = optional_number(json, "peer_us");
  record.ratio = optional_number(json, "ratio");
  record.expected_us = optional_number(json, "expected_us");
  record.configuration = json.at("configuration").get<std::string>();
  record.kernel = json.value("kernel", "");
  record.match = json.at("match").get<std::string>();
  record.verified = json.at("verified").get<bool>();
  record.peer_method = json.value("peer_method", "");
  record.gkeys_per_s = json.value("gkeys_per_s", 0.0);
  record.peer_gkeys_per_s = optional_number(json, "peer_gkeys_per_s");
  record.form = json.value("form", record.form);
  record.samples = json.value("samples", 0);
  record.peer_samples = json.value("peer_samples", 0);
  record.batch = json.value("batch", 1);
  record.device = json.value("device", "");
  record.driver = json.value("driver", "");
  record.peer_version = json.value("peer_version", "");
  record.date = json.value("date", "");
  record.workspace_bytes = json.value("workspace_bytes", std::uint64_t{0});
  record.torch_us = optional_number(json, "torch_us");
  if (const auto bytes = json.find("torch_bytes"); bytes != json.end()) {
    record.torch_bytes = bytes->get<std::uint64_t>();
  }
  record.torch_version = json.value("torch_version", "");
  for (const auto& [member, value] : json.items()) {
    const std::string_view name = member;
    if (!name.starts_with(method_prefix) || !name.ends_with(method_suffix)) continue;
    if (name.size() <= method_prefix.size() + method_suffix.size()) continue;  // "peer_us" itself
    const auto length = name.size() - method_prefix.size() - method_suffix.size();
    record.methods_us[std::string(name.substr(method_prefix.size(), length))] = value.get<double>();
  }
  return record;
}

auto identity(const BenchRecord& record) {
  return std::tie(record.suite, record.peer, record.problem, record.distribution, record.lengths,
                  record.gpus);
}

}  // namespace

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

BenchRecord record_of(const Problem& problem, const Device& device) {
  BenchRecord record;
  record.problem = problem;
  record.device = device.info().name;
  record.driver = device.software().driver;
  record.date = today();
  return record;
}

double rate_of(const Problem& problem, double us) { return keys_in_all(problem) / us / 1000; }

std::string bench_records_json(std::span<const BenchRecord> records) {
  std::string text = "[";
  for (std::size_t i = 0; i < records.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += json_of(records[i]).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "\n]\n";
}

std::vector<BenchRecord> parse_bench_records(std::string_view json, const std::string& source) {
  try {
    std::vector<BenchRecord> records;
    for (const Json& entry : Json::parse(json)) records.push_back(record_from(entry));
    return records;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::input, fmt::format("'{}' is no list of bench results: {}", source, error.what()));
  } catch (const Error& error) {
    throw Error(ErrorCode::input, fmt::format("'{}' is no list of bench results: {}", source, error.what()));
  }
}

void store_bench_records(const fs::path& path, std::span<const BenchRecord> records) {
  std::vector<BenchRecord> all;
  if (std::ifstream file(path); file) {
    std::ostringstream text;
    text << file.rdbuf();
    all = parse_bench_records(text.str(), path.string());
  }
  for (const BenchRecord& record : records) {
    std::erase_if(all, [&](const BenchRecord& old) { return identity(old) == identity(record); });
  }
  all.insert(all.end(), records.begin(), records.end());
  std::sort(all.begin(), all.end(),
            [](const BenchRecord& a, const BenchRecord& b) { return identity(a) < identity(b); });

  try {
    write_atomically(path, bench_records_json(all));
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::io, fmt::format("the bench results cannot be written to '{}': {}", path.string(),
                                           error.code().message()));
  }
}

}  // namespace bitune
