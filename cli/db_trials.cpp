#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/db_noise.hpp"
#include "cli/operations.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"

namespace bitune::cli {
namespace db_trials_command {
namespace {

constexpr const char* description =
    "Lists trials, the newest first: every configuration that was tried, those that failed with the reason. "
    "With --noise: how noisy the verified ones were, a row for each device, problem and variant (medians "
    "over "
    "the trials): samples a trial, their absolute deviation, half the width of the interval of the "
    "median "
    "and what 90 % of the trials stay within, how many are within 1 %, how many were measured again as the "
    "clock had fallen, by how much a configuration that a session measured more than once had changed at the "
    "end, and the range of the SM clock with what held it down.";

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
  Table table({{"trial", Align::right},
               {"device", Align::left, 6},
               operation_column(),
               {"type"},
               {"order", Align::left, unlimited_width, 1},
               {"n", Align::right},
               {"rows", Align::right, unlimited_width, 4},
               {"status", Align::left, 8},
               {"median", Align::right},
               {"message", Align::left, 10, 2},
               {"configuration", Align::left, 13}});
  for (const TrialRow& row : rows) {
    std::vector<std::string> cells = {std::to_string(row.id), row.device_name};
    for (std::string& cell : problem_cells(row.trial.problem)) {
      cells.push_back(std::move(cell));
    }
    cells.emplace_back(name_of(row.trial.status));
    cells.push_back(microseconds_text(row.trial.median_us()));
    // Compilers' logs have many lines; `db show` has them all.
    cells.push_back(row.trial.message.substr(0, std::min<std::size_t>(row.trial.message.find('\n'), 120)));
    cells.push_back(row.trial.configuration.text());
    table.add(std::move(cells));
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
