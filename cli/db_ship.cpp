#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "measure/json.hpp"

namespace bitune::cli {
namespace db_ship_command {
namespace {

constexpr const char* description =
    "Copies the devices and the best trial of each problem into a new, small database: the kind that is "
    "shipped with "
    "bitune or with a program, and is looked into where the user's own database has nothing better "
    "($BITUNE_SHIPPED_DB "
    "names it).";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db ship shipped.db\n"
    "  BITUNE_SHIPPED_DB=shipped.db bitune sort numbers.npy -o sorted.npy";

struct Options {
  CommonOptions common;
  std::string output;
};

int run(const Options& options) {
  const TuningDatabase database = open_database(options.common);
  if (std::filesystem::exists(options.output)) {
    throw Error(ErrorCode::io,
                fmt::format("{} exists already; remove it, or name another file", options.output));
  }
  database.export_best(options.output);
  const auto summaries = TuningDatabase(options.output, DatabaseMode::read_only).summaries({});
  if (options.common.json) {
    print_json(
        {{"database", database.path().string()}, {"output", options.output}, {"problems", summaries.size()}});
  } else {
    print(fmt::format("{}: the best of {} problems.\n", options.output, summaries.size()));
  }
  return done;
}

}  // namespace
}  // namespace db_ship_command

void add_db_ship_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "ship", "Copy the best trials into a database to be shipped",
                              db_ship_command::description, db_ship_command::footer);
  auto options = std::make_shared<db_ship_command::Options>();
  add_argument(command, "OUTPUT", options->output, "File to make; must not exist", true);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_ship_command::run));
}

}  // namespace bitune::cli
