#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "model/fields.hpp"
#include "model/key_type.hpp"
#include "tuner/exchange/number_text.hpp"
#include "tuner/exchange/readers.hpp"
#include "tuner/exchange/text_parts.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune::exchange {
namespace {

// A field of RFC 4180: in quotes where it must be.
std::string field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
    text.insert(at, "\"");
  return "\"" + text + "\"";
}

std::vector<std::string> cells_of(const TrialRow& row, const std::set<std::string>& parameters) {
  const Trial& trial = row.trial;
  const auto median = trial.median_us();
  const auto& spread = row.statistics;
  const auto megahertz = [&trial](int mhz) { return trial.clock.is_known() ? std::to_string(mhz) : ""; };
  std::vector<std::string> samples;
  for (const double us : trial.samples_us) samples.push_back(shifted_text(us, 0));
  std::vector<std::string> cells = {std::to_string(row.id),
                                    row.device_name,
                                    row.device_digest,
                                    row.software.driver,
                                    row.software.compiler,
                                    row.protocol.text(),
                                    row.origin,
                                    trial.timestamp,
                                    trial.kernel_digest,
                                    std::string(name_of(trial.status)),
                                    trial.message,
                                    trial.finalist ? "1" : "0",
                                    median ? shifted_text(*median, 0) : "",
                                    spread ? shifted_text(spread->mad, 0) : "",
                                    spread ? shifted_text(spread->low, 0) : "",
                                    spread ? shifted_text(spread->high, 0) : "",
                                    fmt::format("{}", fmt::join(samples, " ")),
                                    shifted_text(trial.compile_ms, 0),
                                    shifted_text(trial.verify_ms, 0),
                                    shifted_text(trial.measure_ms, 0),
                                    megahertz(trial.clock.lowest_mhz),
                                    megahertz(trial.clock.highest_mhz),
                                    throttle_text(trial.clock.throttled),
                                    std::to_string(trial.remeasured),
                                    std::to_string(trial.registers),
                                    std::to_string(trial.local_bytes),
                                    std::to_string(trial.shared_bytes),
                                    std::to_string(trial.launches),
                                    trial.configuration.variant};
  for_each_field(trial.problem, [&cells](std::string_view, const auto& field, FieldAge) {
    cells.push_back(field_text(field));
  });
  for (const std::string& name : parameters) {
    const auto found = trial.configuration.parameters.find(name);
    cells.push_back(found == trial.configuration.parameters.end() ? "" : std::to_string(found->second));
  }
  return cells;
}

}  // namespace

std::string csv_text(const std::vector<TrialRow>& rows) {
  std::set<std::string> parameters;
  for (const TrialRow& row : rows) {
    for (const auto& [name, value] : row.trial.configuration.parameters) parameters.insert(name);
  }
  std::string text =
      "trial,device,device_digest,driver,compiler,protocol,origin,timestamp,kernel_digest,status,message,"
      "finalist,median_us,mad_us,low_us,high_us,samples_us,compile_ms,verify_ms,"
      "measure_ms,clock_lowest_mhz,clock_highest_mhz,clock_throttled,remeasured,registers,local_bytes,"
      "shared_bytes,launches,variant";
  for (const std::string& name : field_names<Problem>()) text += "," + name;
  for (const std::string& name : parameters) text += "," + field(name);
  text += "\n";
  for (const TrialRow& row : rows) {
    std::vector<std::string> cells = cells_of(row, parameters);
    std::transform(cells.begin(), cells.end(), cells.begin(), field);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string trials_text(const std::vector<TrialRow>& rows, const std::vector<DeviceRow>& devices) {
  // Device, software, protocol and origin, once for all trials that share them.
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::vector<const TrialRow*>> recordings;
  for (const TrialRow& row : rows) {
    recordings[{row.device_digest, row.software.uuid, row.software.driver, row.software.compiler,
                row.protocol.text(), row.origin}]
        .push_back(&row);
  }
  std::vector<std::string> parts;
  for (const auto& [key, members] : recordings) {
    const auto device =
        std::find_if(devices.begin(), devices.end(), [&members = members](const DeviceRow& row) {
          return row.info.digest() == members.front()->device_digest;
        });
    std::vector<std::string> trials;
    trials.reserve(members.size());
    for (const TrialRow* row : members) trials.push_back("\n" + line_of(json_of(row->trial)));
    ObjectText recording;
    recording.add("device", json_of(device->info));
    recording.add("software", json_of(members.front()->software));
    recording.add("protocol", json_of(members.front()->protocol));
    recording.add("origin", Json(members.front()->origin));
    recording.add_raw("trials", list_of(trials));
    parts.push_back("\n" + recording.text());
  }
  return fmt::format("{{\n\"format\": \"bitune trials\",\n\"version\": {},\n\"recordings\": {}\n}}\n",
                     exchange_version, list_of(parts));
}

}  // namespace bitune::exchange
