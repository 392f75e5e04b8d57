#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cache/kernel_archive.hpp"
#include "cache/kernel_cache.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/progress_line.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "runtime/selection.hpp"
#include "tuner/shipping.hpp"

namespace bitune::cli {
namespace db_ship_command {
namespace {

constexpr const char* description =
    "Copies the devices and the best trial of each problem into a new, small database: the kind that is "
    "shipped with bitune or with a program, and is looked into where the user's own database has nothing "
    "better ($BITUNE_SHIPPED_DB names it). With --kernels it also compiles what sorting by these tunings "
    "launches on their GPUs, with NVRTC and without a GPU. It writes that beside the database, as OUTPUT "
    "with the ending .kernels. Then the first sort of a problem need not wait for a compiler. The other "
    "options say of which tunings; `bitune db check --kernels` tells whether an archive has what these "
    "tunings need.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db ship shipped.db\n"
    "  bitune db ship shipped.db --kernels\n"
    "  bitune db ship shipped.db --kernels --key f32 --operation sort\n"
    "  BITUNE_SHIPPED_DB=shipped.db bitune sort numbers.npy -o sorted.npy";

struct Options {
  CommonOptions common;
  std::string output;
  bool kernels = false;
  FilterOptions filter;
};

void refuse_existing(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  throw Error(ErrorCode::io,
              fmt::format("{} exists already; remove it, or name another file", path.string()));
}

/// Compiles and writes the kernels; returns how many.
std::size_t ship_kernels(const TuningDatabase& tunings, const TrialFilter& filter,
                         const std::filesystem::path& path) {
  KernelCache cache(KernelCache::default_directory());
  ProgressLine line;
  const auto show = [&line](const ShippingProgress& progress) {
    if (line.due()) {
      line.show(fmt::format("compiling {}", ProgressLine::bar(progress.done, progress.kernels)));
    }
  };
  const auto kernels = compile_for_shipping(tunings, cache, show, filter);
  line.clear();
  KernelArchive::write(path, kernels);
  return kernels.size();
}

int run(const Options& options) {
  if (!options.kernels && restricts(options.filter)) {
    throw Error(ErrorCode::usage,
                "the options that choose tunings say whose kernels are compiled; give --kernels, too");
  }
  const TuningDatabase database = open_database(options.common);
  const std::filesystem::path archive = kernels_beside(options.output);
  refuse_existing(options.output);
  if (options.kernels) refuse_existing(archive);
  // The kernels first: where they do not compile, no database is left behind that seems to have them.
  const std::size_t kernels =
      options.kernels ? ship_kernels(database, filter_of(options.filter, database), archive) : 0;
  database.export_best(options.output);
  const auto summaries = TuningDatabase(options.output, DatabaseMode::read_only).summaries({});
  if (options.common.json) {
    Json told = {
        {"database", database.path().string()}, {"output", options.output}, {"problems", summaries.size()}};
    if (options.kernels) {
      told["archive"] = archive.string();
      told["kernels"] = kernels;
    }
    print_json(told);
  } else {
    print(fmt::format("{}: the best of {}.\n", options.output, count_text(summaries.size(), "problem")));
    if (options.kernels) {
      print(fmt::format("{}: {} compiled kernels, {} KiB.\n", archive.string(), kernels,
                        std::filesystem::file_size(archive) >> 10));
    }
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
  add_flag(command, "--kernels", options->kernels, "Compile their kernels, too, into OUTPUT's .kernels");
  add_problem_filter(command, options->filter);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_ship_command::run));
}

}  // namespace bitune::cli
