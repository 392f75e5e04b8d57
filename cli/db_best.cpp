#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace db_best_command {
namespace {

constexpr const char* description =
    "Shows the best verified configuration for each device and problem: what `bitune sort` and the "
    "library would use for exactly that problem.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db best\n"
    "  bitune db best --device H200 --key f32 --n 2^20\n"
    "  bitune db best --json | jq '.best[].configuration.text'";

int run(const ListOptions& options) {
  const TuningDatabase database = open_database(options.common);
  const TrialFilter filter = filter_of(options.filter, database);
  if (options.common.json) {
    print_json(best_document(database, filter));
    return done;
  }
  Table table(with_problem({{"device", Align::left, 6}}, {{"median", Align::right},
                                                          {"rate", Align::right, unlimited_width, 2},
                                                          {"trial", Align::right, unlimited_width, 3},
                                                          {"configuration", Align::left, 13}}));
  for (const TrialRow& row : database.best(filter)) {
    const Problem& problem = row.trial.problem;
    const double median = row.statistics ? row.statistics->median : 0;
    table.add(with_problem({row.device_name}, problem,
                           {microseconds_text(median), rate_text(keys_in_all(problem), median),
                            std::to_string(row.id), row.trial.configuration.text()}));
  }
  print(table.empty() ? fmt::format("No verified trials in {} match; `bitune tune` adds some.\n",
                                    database.path().string())
                      : table.text(output_width()));
  return done;
}

}  // namespace
}  // namespace db_best_command

void add_db_best_command(CLI::App& parent, Action& action) {
  add_problem_list(parent, action, "best", "The best configuration for each problem",
                   db_best_command::description, db_best_command::footer, db_best_command::run);
}

}  // namespace bitune::cli
