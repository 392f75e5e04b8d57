#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"

namespace bitune::cli {
namespace db_check_command {
namespace {

constexpr const char* description =
    "Checks that the database is sound: the file itself, the references between its tables, its schema, and "
    "that every "
    "stored text can be read. Exit code 1 if anything is wrong. Nothing is changed.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db check\n"
    "  bitune db check --db shipped.db --json";

int run(const CommonOptions& options) {
  const TuningDatabase database = open_database(options);
  const auto problems = database.check();
  const auto devices = database.devices();
  std::uint64_t trials = 0;
  for (const DeviceRow& row : devices) {
    trials += row.trials;
  }
  if (options.json) {
    print_json({{"database", database.path().string()},
                {"sound", problems.empty()},
                {"problems", problems},
                {"devices", devices.size()},
                {"trials", trials}});
  } else if (problems.empty()) {
    print(fmt::format("{} is sound: {}, {}.\n", database.path().string(),
                      count_text(devices.size(), "device"), count_text(trials, "trial")));
  } else {
    for (const std::string& problem : problems) {
      print(problem + '\n');
    }
    print_error(
        fmt::format("{} is not sound: {}", database.path().string(), count_text(problems.size(), "problem")));
  }
  return problems.empty() ? done : failed;
}

}  // namespace
}  // namespace db_check_command

void add_db_check_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "check", "Whether the database is sound", db_check_command::description,
                              db_check_command::footer);
  auto options = std::make_shared<CommonOptions>();
  add_database_option(command, *options);
  add_json_option(command, *options);
  on_parsed(command, action_setter(action, options, db_check_command::run));
}

}  // namespace bitune::cli
