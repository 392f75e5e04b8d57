#include "cli/db_noise.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "tuner/noise.hpp"

namespace bitune::cli {
namespace {

constexpr double precision = 0.01;

std::string percent(double part) { return fmt::format("{:.2f} %", 100 * part); }

std::string clock_text(const ClockSummary& clock) {
  if (!clock.is_known()) {
    return "-";
  }
  const std::string reasons = clock.throttled == 0 ? "" : " " + throttle_text(clock.throttled);
  return fmt::format("{}..{}{}", clock.lowest_mhz, clock.highest_mhz, reasons);
}

Json json_of_group(const NoiseGroup& group) {
  return {{"device", group.device_name},
          {"device_digest", group.device_digest},
          {"problem", json_of(group.problem)},
          {"variant", group.variant},
          {"trials", group.trials},
          {"samples", group.samples},
          {"relative_mad", group.relative_mad},
          {"relative_half_width", group.half_width},
          {"relative_half_width_90", group.half_width_90},
          {"precise", group.precise},
          {"remeasured", group.remeasured},
          {"clock", json_of(group.clock)},
          {"repeats", group.repeats},
          {"drift", group.drift ? Json(*group.drift) : Json()}};
}

}  // namespace

void print_noise(const TuningDatabase& database, const TrialFilter& filter, bool json) {
  const std::vector<NoiseGroup> groups = noise_of(database.measurements(filter), precision);
  if (json) {
    Json rows = Json::array();
    for (const NoiseGroup& group : groups) {
      rows.push_back(json_of_group(group));
    }
    return print_json({{"database", database.path().string()}, {"precision", precision}, {"noise", rows}});
  }
  Table table(with_problem({{"device", Align::left, 6}}, {{"variant"},
                                                          {"trials", Align::right},
                                                          {"samples", Align::right, unlimited_width, 4},
                                                          {"MAD", Align::right, unlimited_width, 5},
                                                          {"interval", Align::right},
                                                          {"of 90 %", Align::right, unlimited_width, 2},
                                                          {"within 1 %", Align::right, unlimited_width, 3},
                                                          {"again", Align::right, unlimited_width, 7},
                                                          {"drift", Align::right, unlimited_width, 8},
                                                          {"MHz", Align::left, 10, 6}}));
  for (const NoiseGroup& group : groups) {
    table.add(with_problem(
        {group.device_name}, group.problem,
        {group.variant, std::to_string(group.trials), fmt::format("{:.0f}", group.samples),
         percent(group.relative_mad), percent(group.half_width), percent(group.half_width_90),
         std::to_string(group.precise), std::to_string(group.remeasured),
         group.drift ? fmt::format("{:+.2f} %", 100 * *group.drift) : "-", clock_text(group.clock)}));
  }
  print(table.empty() ? fmt::format("No verified trials in {} match.\n", database.path().string())
                      : table.text(output_width()));
}

}  // namespace bitune::cli
