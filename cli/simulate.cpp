#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/command.hpp"
#include "cli/operations.hpp"
#include "cli/progress_line.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"
#include "tuner/replay.hpp"

namespace bitune::cli {
namespace {

constexpr double within = 0.01;

/// One strategy on one space, with all seeds.
struct Simulation {
  const RecordedSpace* space = nullptr;
  std::string_view strategy;
  std::vector<ReplayResult> results;  ///< by seed

  /// A number of each result, as medians are taken of.
  template <class Get>
  [[nodiscard]] std::vector<double> each(Get&& get) const {
    std::vector<double> values;
    values.reserve(results.size());
    for (const ReplayResult& result : results) {
      values.push_back(get(result));
    }
    return values;
  }
  [[nodiscard]] double best_us(const ReplayResult& result) const {
    return result.steps.empty() ? 0 : result.steps.back().best_us;
  }
};

std::vector<const StrategyEntry*> strategies_of(const std::vector<std::string>& names) {
  std::vector<const StrategyEntry*> entries;
  for (const std::string& name : names) {
    if (name != "all") {
      entries.push_back(&strategy(name));
      continue;
    }
    for (const StrategyEntry& entry : strategies()) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

Json json_of(const Simulation& simulation) {
  const RecordedSpace& space = *simulation.space;
  Json runs = Json::array();
  for (const ReplayResult& result : simulation.results) {
    const auto reached = result.first_within(within, space.best_us);
    Json best;
    if (!result.steps.empty()) {
      best = {{"configuration", space.domain.configurations[result.steps.back().index].text()},
              {"median_us", result.steps.back().best_us},
              {"evaluation", result.steps.back().evaluations}};
    }
    runs.push_back({{"evaluated", result.evaluations},
                    {"failed", result.failed},
                    {"virtual_seconds", result.seconds},
                    {"best", best},
                    {"evaluations_to_within_1_percent", reached ? Json(reached->evaluations) : Json()},
                    {"seconds_to_within_1_percent", reached ? Json(reached->seconds) : Json()}});
  }
  return {{"device", space.device},
          {"problem", bitune::json_of(space.problem)},
          {"strategy", simulation.strategy},
          {"configurations", space.trials.size()},
          {"default_configurations", space.domain.starts.size()},
          {"recorded_best_us", space.best_us},
          {"runs", runs}};
}

std::string text_of(const std::vector<Simulation>& simulations) {
  Table table({operation_column(),
               {"type"},
               {"n", Align::right},
               {"rows", Align::right},
               {"strategy"},
               {"on record", Align::right},
               {"evaluated", Align::right},
               {"virtual", Align::right},
               {"best", Align::right},
               {"of record", Align::right},
               {"within 1 %", Align::right},
               {"after", Align::right}});
  for (const Simulation& simulation : simulations) {
    const RecordedSpace& space = *simulation.space;
    std::vector<double> reached;
    for (const ReplayResult& result : simulation.results) {
      if (const auto step = result.first_within(within, space.best_us)) {
        reached.push_back(static_cast<double>(step->evaluations));
      }
    }
    const auto middle = [&simulation](auto&& get) { return median_of(simulation.each(get)); };
    const double best = middle([&](const ReplayResult& result) { return simulation.best_us(result); });
    table.add({operation_text(space.problem), std::string(name_of(space.problem.key)),
               size_text(space.problem.n), rows_text(space.problem), std::string(simulation.strategy),
               std::to_string(space.trials.size()),
               fmt::format("{:.0f}", middle([](const ReplayResult& result) {
                             return static_cast<double>(result.evaluations);
                           })),
               duration_text(middle([](const ReplayResult& result) { return result.seconds; })),
               microseconds_text(best > 0 ? std::optional(best) : std::nullopt),
               best > 0 ? fmt::format("{:.1f} %", 100 * space.best_us / best) : "-",
               fmt::format("{}/{}", reached.size(), simulation.results.size()),
               reached.empty() ? "-" : fmt::format("{:.0f}", median_of(reached))});
  }
  return table.text(output_width());
}

}  // namespace

int simulate(const SimulateOptions& options) {
  const auto entries = strategies_of(options.strategies);
  const std::vector<RecordedSpace> spaces =
      read_recorded_spaces({options.files.begin(), options.files.end()});
  if (spaces.empty()) {
    throw Error(ErrorCode::input,
                fmt::format("there is no time on record in {}", fmt::join(options.files, ", ")));
  }
  ReplayOptions replay_options;
  replay_options.seconds = options.budget.seconds;
  replay_options.evaluations = options.budget.evaluations.value_or(replay_options.evaluations);
  // Without a budget a search is over when there is nothing left to gain.
  if (!options.budget.seconds && !options.budget.evaluations) {
    replay_options.until_within = within;
  }
  replay_options.at_once = static_cast<std::size_t>(options.at_once);
  ProgressLine line;
  std::vector<Simulation> simulations;
  for (const RecordedSpace& space : spaces) {
    for (const StrategyEntry* entry : entries) {
      Simulation& simulation = simulations.emplace_back();
      simulation.space = &space;
      simulation.strategy = entry->name;
      for (int i = 0; i < options.seeds; ++i) {
        replay_options.seed = options.seed + static_cast<std::uint64_t>(i);
        simulation.results.push_back(replay(space, *entry, replay_options));
        if (line.due()) {
          line.show(fmt::format("{}, {}: {}/{}", bitune::text_of(space.problem), entry->name, i + 1,
                                options.seeds));
        }
      }
    }
  }
  line.clear();
  if (options.json) {
    Json all = Json::array();
    for (const Simulation& simulation : simulations) {
      all.push_back(json_of(simulation));
    }
    print_json({{"simulated", true}, {"at_once", options.at_once}, {"spaces", all}});
  } else {
    print(text_of(simulations) +
          "\nsimulated: times are of the record, and nothing is stored; medians over the seeds\n");
  }
  return done;
}

}  // namespace bitune::cli
