#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"

namespace bitune::cli {
namespace db_merge_command {
namespace {

constexpr const char* description =
    "Adds all trials of other tuning databases, as of other machines, to this one. All of it or nothing; "
    "the others are only read. Trials are known by their content: the order does not matter, and merging "
    "twice adds nothing. What the others verified counts as verified: merge what you trust.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db merge node1.db node2.db\n"
    "  bitune db merge node*.db --db all.db --dry-run\n"
    "  bitune db best --db all.db";

struct Options {
  CommonOptions common;
  std::vector<std::string> others;
  bool dry_run = false;
};

int run(const Options& options) {
  // What is none of ours is refused before a database is made.
  std::vector<TuningDatabase> others;
  for (const std::string& other : options.others) others.emplace_back(other, DatabaseMode::read_only);
  TuningDatabase database = options.dry_run
                                ? open_database(options.common, DatabaseMode::read_write)
                                : TuningDatabase(database_path(options.common), DatabaseMode::read_write);
  const MergeCounts counts = database.merge(others, options.dry_run);
  if (options.common.json) {
    print_json({{"database", database.path().string()},
                {"dry_run", options.dry_run},
                {"merged", options.others},
                {"devices", counts.devices},
                {"problems", counts.problems},
                {"sessions", counts.sessions},
                {"trials", counts.trials},
                {"known", counts.known}});
  } else {
    print(fmt::format("{} of {} {}, with {} and {}; {} known already.\n", count_text(counts.trials, "trial"),
                      count_text(counts.sessions, "session"), options.dry_run ? "would be added" : "added",
                      count_text(counts.devices, "new device"), count_text(counts.problems, "new problem"),
                      count_text(counts.known, "trial")));
  }
  return done;
}

}  // namespace
}  // namespace db_merge_command

void add_db_merge_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "merge", "Add the trials of other tuning databases",
                              db_merge_command::description, db_merge_command::footer);
  auto options = std::make_shared<db_merge_command::Options>();
  add_arguments(command, "DATABASES", options->others, "Databases to read");
  add_flag(command, "--dry-run", options->dry_run, "Only say what would be added");
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_merge_command::run));
}

}  // namespace bitune::cli
