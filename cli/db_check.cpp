#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cache/kernel_archive.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "runtime/selection.hpp"
#include "tuner/shipping.hpp"

namespace bitune::cli {
namespace db_check_command {
namespace {

constexpr const char* description =
    "Checks that the database is sound: the file itself, the references between its tables, its schema, "
    "and that every stored text can be read. With --kernels, it also looks into the archive of kernels "
    "beside it (`bitune db ship --kernels`): are all there that sorting by these tunings launches? The "
    "other options say by which tunings. A newer bitune may launch other kernels. Exit code 1 if anything "
    "is wrong. Nothing is changed.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db check\n"
    "  bitune db check --db shipped.db --json\n"
    "  bitune db check --db shipped.db --kernels";

struct Options {
  CommonOptions common;
  bool kernels = false;
  FilterOptions filter;
};

int run(const Options& options) {
  if (!options.kernels && restricts(options.filter)) {
    throw Error(ErrorCode::usage,
                "the options that choose tunings say whose kernels are looked for; give --kernels, too");
  }
  const TuningDatabase database = open_database(options.common);
  auto problems = database.check();
  Json kernels;
  if (options.kernels) {
    const KernelArchive archive(kernels_beside(database.path()));
    const ShippedKernels found = look_for_kernels(database, archive, filter_of(options.filter, database));
    kernels = {{"archive", archive.path().string()},
               {"shipped", archive.size()},
               {"needed", found.needed},
               {"missing", found.missing.size()}};
    for (const KernelSource& kernel : found.missing) {
      problems.push_back(
          fmt::format("'{}' has no kernel {}", archive.path().string(), kernel.name_expression));
    }
  }
  const auto devices = database.devices();
  std::uint64_t trials = 0;
  for (const DeviceRow& row : devices) {
    trials += row.trials;
  }
  if (options.common.json) {
    Json told = {{"database", database.path().string()},
                 {"sound", problems.empty()},
                 {"problems", problems},
                 {"devices", devices.size()},
                 {"trials", trials}};
    if (options.kernels) told["kernels"] = std::move(kernels);
    print_json(told);
  } else if (problems.empty()) {
    print(fmt::format("{} is sound: {}, {}.\n", database.path().string(),
                      count_text(devices.size(), "device"), count_text(trials, "trial")));
    if (options.kernels) {
      print(fmt::format("{} has all {} kernels.\n", kernels_beside(database.path()).string(),
                        kernels.at("needed").get<std::size_t>()));
    }
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
  auto options = std::make_shared<db_check_command::Options>();
  add_flag(command, "--kernels", options->kernels,
           "Also whether the archive beside it has the kernels that its tunings need");
  add_problem_filter(command, options->filter);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_check_command::run));
}

}  // namespace bitune::cli
