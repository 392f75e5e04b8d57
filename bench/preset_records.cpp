#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <tuple>

#include "bench/preset_plans.hpp"
#include "bench/presets.hpp"
#include "bitune/error.hpp"
#include "cache/atomic_file.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const PresetRecord& record) {
  Json kernels = Json::object();
  for (const auto& [kernel, us] : record.kernels_us) kernels[kernel] = us;
  const auto n = static_cast<double>(record.n);
  return {{"suite", "presets"},
          {"preset", record.preset},
          {"key_type", name_of(record.key)},
          {"n", record.n},
          {"total_us", record.total_us},
          {"kernels_us", kernels},
          {"h2d_us", record.h2d_us},
          {"sort_us", record.sort_us},
          {"d2h_us", record.d2h_us},
          {"launches", record.launches},
          {"host_memory", record.pinned ? "pinned" : "pageable"},
          {"peer", record.peer},
          {"peer_us", optional_json(record.peer_us)},
          {"peer_sort_us", optional_json(record.peer_sort_us)},
          {"ratio", optional_json(record.ratio)},
          {"qsort_us", optional_json(record.qsort_us)},
          {"std_sort_us", optional_json(record.std_sort_us)},
          {"keys_per_s", n * 1e6 / record.total_us},
          {"sort_keys_per_s", n * 1e6 / record.sort_us},
          {"ns_per_key", 1000 * record.total_us / n},
          {"verified", record.verified},
          {"configuration", record.configuration},
          {"samples", record.samples},
          {"device", record.device},
          {"driver", record.driver},
          {"peer_version", record.peer_version},
          {"date", record.date}};
}

/// Place in the order of the ladder; what bitune selects comes last.
std::size_t rank_of(std::string_view name) {
  const auto all = presets();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [name](const Preset& preset) { return preset.name == name; }) -
      all.begin());
}

std::tuple<std::string, std::uint64_t, std::size_t, std::string> identity(const Json& record) {
  const auto preset = record.at("preset").get<std::string>();
  return {record.at("key_type").get<std::string>(), record.at("n").get<std::uint64_t>(), rank_of(preset),
          preset};
}

std::string text_of(const std::vector<Json>& records) {
  std::string text = "[";
  for (std::size_t i = 0; i < records.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += records[i].dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "\n]\n";
}

std::vector<Json> read_records(const fs::path& path) {
  std::vector<Json> records;
  std::ifstream file(path);
  if (!file) return records;
  try {
    Json list = Json::parse(file);
    for (Json& record : list) {
      static_cast<void>(identity(record));  // refuses what is no record of this suite
      records.push_back(std::move(record));
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::input,
                fmt::format("'{}' is no list of results of the presets: {}", path.string(), error.what()));
  }
  return records;
}

std::string milliseconds(std::optional<double> us) { return us ? fmt::format("{:.3f}", *us / 1000) : "–"; }

std::string kernels_text(const PresetRecord& record) {
  std::string text;
  for (const auto& [kernel, us] : record.kernels_us) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kernel, milliseconds(us));
  }
  return text;
}

void append_row(std::string& text, const PresetRecord& record) {
  const auto n = static_cast<double>(record.n);
  text +=
      fmt::format("| {} | {} | {} | {} ({}) | {} | {} | {} | {:.0f} | {:.3f} | {} | {} |\n", record.preset,
                  milliseconds(record.total_us), milliseconds(record.h2d_us), milliseconds(record.sort_us),
                  kernels_text(record), milliseconds(record.d2h_us), record.launches,
                  record.pinned ? "pinned" : "pageable", n / record.total_us, 1000 * record.total_us / n,
                  record.ratio ? fmt::format("{:.2f}", *record.ratio) : "–", record.verified ? "yes" : "no");
}

}  // namespace

std::string preset_records_json(std::span<const PresetRecord> records) {
  std::vector<Json> all;
  all.reserve(records.size());
  for (const PresetRecord& record : records) all.push_back(json_of(record));
  return text_of(all);
}

void store_preset_records(const fs::path& path, std::span<const PresetRecord> records) {
  std::vector<Json> all = read_records(path);
  for (const PresetRecord& record : records) {
    Json json = json_of(record);
    std::erase_if(all, [&json](const Json& old) { return identity(old) == identity(json); });
    all.push_back(std::move(json));
  }
  std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) { return identity(a) < identity(b); });
  try {
    write_atomically(fs::absolute(path), text_of(all));
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::io, fmt::format("the results of the presets cannot be written: {}", error.what()));
  }
}

std::string preset_records_markdown(std::span<const PresetRecord> records) {
  std::string text;
  const PresetRecord* before = nullptr;
  for (const PresetRecord& record : records) {
    if (before == nullptr || before->key != record.key || before->n != record.n) {
      text += fmt::format("{}### {}, n = {}\n\n", text.empty() ? "" : "\n", name_of(record.key),
                          size_text(record.n));
      text += fmt::format("Times in milliseconds on {}; ", record.device);
      if (record.peer_us)
        text += fmt::format("{} with page-locked memory {}, ", record.peer, milliseconds(record.peer_us));
      text += fmt::format("qsort {}, std::sort {}.\n\n", milliseconds(record.qsort_us),
                          milliseconds(record.std_sort_us));
      text +=
          "| preset | total | to device | kernels | to host | launches | host memory | Mkeys/s | ns/key | "
          "ratio | "
          "verified |\n";
      text += "| --- | ---: | ---: | --- | ---: | ---: | --- | ---: | ---: | ---: | --- |\n";
    }
    append_row(text, record);
    before = &record;
  }
  return text;
}

}  // namespace bitune
