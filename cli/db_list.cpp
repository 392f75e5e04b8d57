#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"

namespace bitune::cli {
namespace db_list_command {
namespace {

constexpr const char* description =
    "Lists what was tuned: a row for each device and problem, with how many trials there are, how many of "
    "them passed verification, and the best of them.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db list\n"
    "  bitune db list --device H200 --key u32";

int run(const ListOptions& options) {
  const TuningDatabase database = open_database(options.common);
  const TrialFilter filter = filter_of(options.filter, database);
  if (options.common.json) {
    print_json(problems_document(database, filter));
    return done;
  }
  const auto summaries = database.summaries(filter);
  Table table(with_problem({{"device", Align::left, 6}}, {{"trials", Align::right},
                                                          {"ok", Align::right, unlimited_width, 2},
                                                          {"best", Align::right},
                                                          {"variant"}}));
  for (const ProblemSummary& summary : summaries) {
    table.add(with_problem({summary.device_name}, summary.problem,
                           {std::to_string(summary.trials), std::to_string(summary.ok),
                            summary.best ? microseconds_text(summary.best->trial.median_us()) : "-",
                            summary.best ? summary.best->trial.configuration.variant : "-"}));
  }
  print(table.empty()
            ? fmt::format("No trials in {} match; `bitune tune` adds some.\n", database.path().string())
            : table.text(output_width()));
  return done;
}

}  // namespace
}  // namespace db_list_command

void add_db_list_command(CLI::App& parent, Action& action) {
  add_problem_list(parent, action, "list", "What was tuned, a row for each device and problem",
                   db_list_command::description, db_list_command::footer, db_list_command::run);
}

}  // namespace bitune::cli
