#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "model/trial.hpp"

namespace bitune::cli {
namespace db_prune_command {
namespace {

constexpr const char* description =
    "Deletes trials: those that all given options match. At least one option must say which; --superseded "
    "means trials that a later one of the same configuration and problem has replaced. Verified results "
    "that nothing has replaced go only with --yes.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db prune --superseded --dry-run\n"
    "  bitune db prune --device emulated --yes\n"
    "  bitune db prune --status timed_out         so that they are tried again";

struct Options {
  CommonOptions common;
  FilterOptions filter;
  bool superseded = false;
  bool dry_run = false;
  bool yes = false;
};

/// Of the trials that would go, those that selection could take: verified, and not replaced.
std::uint64_t results_among(TuningDatabase& database, TrialFilter filter, bool superseded) {
  if (superseded || filter.status.value_or(TrialStatus::ok) != TrialStatus::ok) return 0;
  filter.status = TrialStatus::ok;
  return database.prune(filter, false, true);
}

int run(const Options& options) {
  if (!options.superseded && !restricts(options.filter)) {
    throw Error(ErrorCode::usage,
                "prune would delete every trial; say which (--superseded, --device, --key, --status, ...), "
                "or remove the "
                "file itself");
  }
  TuningDatabase database =
      open_database(options.common, options.dry_run ? DatabaseMode::read_only : DatabaseMode::read_write);
  const TrialFilter filter = filter_of(options.filter, database);
  if (const auto results = results_among(database, filter, options.superseded);
      results > 0 && !options.dry_run && !options.yes) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "this would delete {} verified results, which only tuning brings back: give --yes if that "
            "is meant, or --dry-run to see how many trials there are",
            results));
  }
  const std::uint64_t count = database.prune(filter, options.superseded, options.dry_run);
  if (options.common.json) {
    print_json({{"database", database.path().string()}, {"dry_run", options.dry_run}, {"trials", count}});
  } else {
    print(fmt::format("{} {}.\n", count_text(count, "trial"),
                      options.dry_run ? "would be deleted" : "deleted"));
  }
  return done;
}

}  // namespace
}  // namespace db_prune_command

void add_db_prune_command(CLI::App& parent, Action& action) {
  auto& command =
      add_command(parent, "prune", "Delete trials", db_prune_command::description, db_prune_command::footer);
  auto options = std::make_shared<db_prune_command::Options>();
  add_flag(command, "--superseded", options->superseded, "Only trials that a later one has replaced");
  add_flag(command, "--dry-run", options->dry_run, "Only say how many there are");
  add_flag(command, "--yes", options->yes, "Delete verified results, too");
  add_problem_filter(command, options->filter);
  add_trial_filter(command, options->filter);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_prune_command::run));
}

}  // namespace bitune::cli
