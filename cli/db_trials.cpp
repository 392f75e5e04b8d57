#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/db_noise.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"
#include "model/trial.hpp"

namespace bitune::cli {
namespace db_trials_command {
namespace {

constexpr const char* description =
    "Lists trials, the newest first: every configuration that was tried, those that failed with the "
    "reason. With --noise, a row for each device, problem and variant says how noisy the verified ones "
    "were, in medians over the trials: how many samples; their absolute deviation; half the width of the "
    "median's interval, and what 90 % of the trials stay within. It also says how many trials are within "
    "1 %, and how many were measured again since the clock had fallen; by how much a configuration had "
    "changed in the end that a session measured more than once; and the range of the SM clock, with what "
    "held it down.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db trials\n"
    "  bitune db trials --key u32 --n 2^20 --variant warp --limit 100\n"
    "  bitune db trials --status compile_failed --limit 0 --json\n"
    "  bitune db trials --noise --device H200     how well times are known";

struct Options {
  CommonOptions common;
  FilterOptions filter;
  std::uint64_t limit = 20;
  bool noise = false;
};

int run(const Options& options) {
  const TuningDatabase database = open_database(options.common);
  TrialFilter filter = filter_of(options.filter, database);
  if (options.noise) {
    print_noise(database, filter, options.common.json);
    return done;
  }
  filter.limit = options.limit;
  if (options.common.json) {
    print_json(trials_document(database, filter));
    return done;
  }
  const auto rows = database.trials(filter);
  auto columns = with_problem({{"trial", Align::right}, {"device", Align::left, 6}},
                              {{"status", Align::left, 8},
                               {"median", Align::right},
                               {"message", Align::left, 10, 2},
                               {"configuration", Align::left, 13}});
  for (Table::Column& column : columns) {
    if (column.heading == "rows") column.leaves = 4;
  }
  Table table(std::move(columns));
  for (const TrialRow& row : rows) {
    const Trial& trial = row.trial;
    // Compilers' logs have many lines; `db show` has them all.
    const std::size_t shown = std::min<std::size_t>(trial.message.find('\n'), 120);
    table.add(with_problem({std::to_string(row.id), row.device_name}, trial.problem,
                           {std::string(name_of(trial.status)), microseconds_text(trial.median_us()),
                            trial.message.substr(0, shown), trial.configuration.text()}));
  }
  print(table.empty() ? fmt::format("No trials in {} match.\n", database.path().string())
                      : table.text(output_width()));
  if (options.limit > 0 && rows.size() == options.limit) {
    print_remark(fmt::format("only the newest {} are shown; --limit 0 shows all", options.limit));
  }
  return done;
}

}  // namespace
}  // namespace db_trials_command

void add_db_trials_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "trials", "What was tried, the newest first",
                              db_trials_command::description, db_trials_command::footer);
  auto options = std::make_shared<db_trials_command::Options>();
  add_problem_filter(command, options->filter);
  add_trial_filter(command, options->filter);
  add_number(command, "--limit", options->limit, "Most trials shown; 0 for all", "N");
  add_flag(command, "--noise", options->noise, "Instead: how noisy the measurements were");
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_trials_command::run));
}

}  // namespace bitune::cli
