#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "tuner/exchange/import.hpp"

namespace bitune::cli {
namespace db_import_command {
namespace {

constexpr const char* description =
    "Adds trials from files: caches of Kernel Tuner (open ones, too), T4 results, results files, and what "
    "`bitune db export` writes as json; compressed by gzip or not. All of it or nothing. What a file "
    "claims is kept apart from what bitune measured: such trials are 'unverified', and never selected to "
    "sort with.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db import warp.json\n"
    "  bitune db import *.json.gz --dry-run\n"
    "  bitune db import cache.json --device H200    the file only names its device; the database knows it\n"
    "  bitune db trials --status unverified         what was imported";

struct Options {
  CommonOptions common;
  std::vector<std::string> files;
  std::string device;
  bool dry_run = false;
};

int run(const Options& options) {
  std::optional<DeviceInfo> device;
  if (!options.device.empty()) device = find_device(open_database(options.common), options.device).info;
  // All files are read before the database is touched, or made.
  const ImportPlan plan = plan_import({options.files.begin(), options.files.end()}, device);
  TuningDatabase database = options.dry_run
                                ? open_database(options.common, DatabaseMode::read_write)
                                : TuningDatabase(database_path(options.common), DatabaseMode::read_write);
  const ImportCounts counts = database.import_trials(plan.trials, options.dry_run);
  if (options.common.json) {
    Json files = Json::array();
    for (const ImportedFile& file : plan.files) {
      files.push_back({{"path", file.path.string()},
                       {"source", file.source},
                       {"devices", file.devices},
                       {"trials", file.trials}});
    }
    print_json({{"database", database.path().string()},
                {"dry_run", options.dry_run},
                {"files", files},
                {"added", counts.added},
                {"updated", counts.updated},
                {"skipped", counts.skipped},
                {"rejected", 0}});
  } else {
    print(fmt::format("{} {}, {} updated, {} skipped, as they were there already, 0 rejected.\n",
                      count_text(counts.added, "trial"), options.dry_run ? "would be added" : "added",
                      counts.updated, counts.skipped));
  }
  return done;
}

}  // namespace
}  // namespace db_import_command

void add_db_import_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "import", "Add trials from files of other tools",
                              db_import_command::description, db_import_command::footer);
  auto options = std::make_shared<db_import_command::Options>();
  add_arguments(command, "FILES", options->files, "Files to read");
  add_text(command, "--device", options->device,
           "Device of the database on which the trials were made, for files that only name theirs", "DEVICE");
  add_flag(command, "--dry-run", options->dry_run, "Only say what would be added");
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_import_command::run));
}

}  // namespace bitune::cli
