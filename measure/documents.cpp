#include "measure/documents.hpp"

#include <nlohmann/json.hpp>

#include "model/statistics.hpp"

namespace bitune {
namespace {

Json rows_of(const std::vector<TrialRow>& rows) {
  Json list = Json::array();
  for (const TrialRow& row : rows) list.push_back(json_of_row(row));
  return list;
}

}  // namespace

Json json_of(const DeviceReport& report) {
  Json devices = Json::array();
  for (const auto& entry : report.devices) {
    devices.push_back(
        {{"selector", entry.selector}, {"info", json_of(entry.info)}, {"software", json_of(entry.software)}});
  }
  return {{"devices", devices},
          {"driver", {{"library", report.driver_library}, {"version", report.driver_version}}},
          {"nvrtc", {{"library", report.nvrtc_library}, {"version", report.nvrtc_version}}},
          {"host_compiler", report.host_compiler},
          {"problems", report.problems}};
}

Json json_of_row(const TrialRow& row) {
  Json document = {{"id", row.id},
                   {"device", row.device_name},
                   {"device_digest", row.device_digest},
                   {"software", json_of(row.software)},
                   {"protocol", json_of(row.protocol)},
                   {"origin", row.origin}};
  document.update(json_of(row.trial));
  if (row.statistics) {
    document["statistics"] = json_of(*row.statistics);
    document["statistics"]["coverage"] =
        coverage_of(row.trial.samples_us, row.statistics->low, row.statistics->high);
  }
  return document;
}

Json problems_document(const TuningDatabase& database, const TrialFilter& filter) {
  Json rows = Json::array();
  for (const ProblemSummary& summary : database.summaries(filter)) {
    rows.push_back({{"device", summary.device_name},
                    {"device_digest", summary.device_digest},
                    {"problem", json_of(summary.problem)},
                    {"trials", summary.trials},
                    {"ok", summary.ok},
                    {"best", summary.best ? json_of_row(*summary.best) : Json()}});
  }
  return {{"database", database.path().string()}, {"problems", rows}};
}

Json best_document(const TuningDatabase& database, const TrialFilter& filter) {
  return {{"database", database.path().string()}, {"best", rows_of(database.best(filter))}};
}

Json trials_document(const TuningDatabase& database, const TrialFilter& filter) {
  return {{"database", database.path().string()}, {"trials", rows_of(database.trials(filter))}};
}

Json devices_document(const TuningDatabase& database) {
  Json rows = Json::array();
  for (const DeviceRow& row : database.devices()) {
    rows.push_back({{"id", row.id},
                    {"info", json_of(row.info)},
                    {"software", json_of(row.software)},
                    {"trials", row.trials},
                    {"last_seen", row.last_seen}});
  }
  return {{"database", database.path().string()}, {"devices", rows}};
}

}  // namespace bitune
