#include "tuner/exchange/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "bitune/error.hpp"
#include "tuner/exchange/series.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune {
namespace {

using exchange::Series;

constexpr std::array<std::pair<ExchangeFormat, std::string_view>, 7> format_names = {{
    {ExchangeFormat::cache, "cache"},
    {ExchangeFormat::t4, "t4"},
    {ExchangeFormat::t1, "t1"},
    {ExchangeFormat::results, "results"},
    {ExchangeFormat::wisdom, "wisdom"},
    {ExchangeFormat::csv, "csv"},
    {ExchangeFormat::json, "json"},
}};

// Different devices may have one name: then a part of the digest tells their files apart.
std::vector<std::string> stems_of(const std::vector<Series>& all) {
  std::map<std::string, std::set<std::string>> digests;
  for (const Series& series : all)
    digests[exchange::plain_name(series.device.name)].insert(series.device.digest());
  std::vector<std::string> stems;
  for (const Series& series : all) {
    std::string device = exchange::plain_name(series.device.name);
    if (digests[device].size() > 1) device += "_" + series.device.digest().substr(0, 8);
    stems.push_back(fmt::format("{}-{}-{}", device, series.kernel_name(), series.size_text()));
  }
  return stems;
}

std::vector<ExchangeFile> one_for_each(const std::vector<Series>& all, const ExportOptions& options) {
  std::vector<ExchangeFile> files;
  const std::vector<std::string> stems = stems_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string cache_name = stems[i] + ".json";
    if (options.format == ExchangeFormat::t4) {
      files.push_back({stems[i] + "_T4.json", exchange::t4_text(all[i]), all[i].trials.size()});
    } else if (options.format == ExchangeFormat::t1) {
      files.push_back({stems[i] + "_T1.json", exchange::t1_text(all[i], cache_name), all[i].trials.size()});
    } else {
      files.push_back({cache_name, exchange::cache_text(all[i], options.open), all[i].trials.size()});
    }
  }
  return files;
}

// One file holds the sizes and devices of a kernel that have the same parameters. Trials of an older bitune
// may have other parameters: they stand in files of their own.
std::vector<ExchangeFile> one_for_each_kernel(const std::vector<Series>& all, bool wisdom) {
  std::map<std::string, std::map<std::vector<std::string>, std::vector<const Series*>>> kernels;
  for (const Series& series : all) {
    // Who reads wisdom sorts by it: what nobody verified is no wisdom.
    const std::size_t best = series.best();
    if (best == series.trials.size() || (wisdom && !series.origin.empty())) continue;
    kernels[series.kernel_name()][series.parameters].push_back(&series);
  }
  std::vector<ExchangeFile> files;
  for (const auto& [name, by_parameters] : kernels) {
    std::vector<const std::vector<const Series*>*> groups;
    for (const auto& [parameters, group] : by_parameters) groups.push_back(&group);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto* a, const auto* b) { return a->size() > b->size(); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::string stem = i == 0 ? name : fmt::format("{}-{}", name, i + 1);
      files.push_back({stem + (wisdom ? ".wisdom" : "_results.json"),
                       wisdom ? exchange::wisdom_text(*groups[i]) : exchange::results_text(*groups[i]),
                       groups[i]->size()});
    }
  }
  return files;
}

}  // namespace

ExchangeFormat parse_exchange_format(std::string_view text) {
  std::string known;
  for (const auto& [format, name] : format_names) {
    if (name == text) return format;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no format '{}'; use one of {}", text, known));
}

std::vector<ExchangeFile> export_trials(const TuningDatabase& database, const ExportOptions& options) {
  switch (options.format) {
    case ExchangeFormat::cache:
    case ExchangeFormat::t4:
    case ExchangeFormat::t1:
      return one_for_each(exchange::series_of(database, options.filter), options);
    case ExchangeFormat::results:
    case ExchangeFormat::wisdom:
      return one_for_each_kernel(exchange::series_of(database, options.filter),
                                 options.format == ExchangeFormat::wisdom);
    case ExchangeFormat::csv:
    case ExchangeFormat::json:
      break;
  }
  std::vector<TrialRow> rows = database.trials(options.filter);
  std::reverse(rows.begin(), rows.end());  // oldest first
  if (rows.empty()) return {};
  if (options.format == ExchangeFormat::csv) return {{"trials.csv", exchange::csv_text(rows), rows.size()}};
  return {{"trials.json", exchange::trials_text(rows, database.devices()), rows.size()}};
}

}  // namespace bitune
