#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "bitune/error.hpp"
#include "cache/atomic_file.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "tuner/exchange/export.hpp"
#include "tuner/exchange/gzip.hpp"

namespace bitune::cli {
namespace db_export_command {
namespace {

namespace fs = std::filesystem;

constexpr const char* description =
    "Writes trials as files that other tools read; docs/exchange.md shows how they load them. A cache, T4 "
    "or T1 file is about one device, one kernel (a variant for one key type and order) and one problem; "
    "results and wisdom hold the best for each device and size of one kernel; csv and json hold every "
    "trial. Where there are several files, -o names a folder.";

constexpr const char* footer =
    "Formats:\n"
    "  json     bitune's own: all that is known of each trial\n"
    "  csv      a row for each trial\n"
    "  cache    Kernel Tuner's cache, for tune_cache, simulation mode and KTdashboard\n"
    "  t4       T4 results 1.1.0, for autotuning_methodology\n"
    "  t1       T1 input: the configuration space that was recorded, for tune_kernel_T1\n"
    "  results  Kernel Tuner's results file, for TuneResults and create_device_targets\n"
    "  wisdom   Kernel Launcher's wisdom; only what bitune verified\n"
    "\n"
    "Examples:\n"
    "  bitune db export --format cache --key u32 --n 2^20 --variant warp -o warp.json\n"
    "  bitune db export --format t4 --device H200 -o results/ --gzip\n"
    "  bitune db export --format csv > trials.csv\n"
    "  bitune db export -o everything.json.gz";

struct Options {
  CommonOptions common;
  FilterOptions filter;
  std::string format = "json";
  std::string output;
  bool open = false;
  bool gzip = false;
};

void write(const fs::path& path, const std::string& content) {
  try {
    write_atomically(fs::absolute(path), path.extension() == ".gz" ? gzip(content) : content);
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::io,
                fmt::format("{} cannot be written: {}", path.string(), error.code().message()));
  }
}

// Where the files go: into a folder, or the only one to the path that was named.
std::vector<fs::path> paths_of(const std::vector<ExchangeFile>& files, const Options& options) {
  const bool folder = options.output.ends_with('/') || fs::is_directory(options.output);
  if (!folder && files.size() > 1) {
    throw Error(ErrorCode::usage,
                fmt::format("these are {} files; name a folder, as in -o {}/, or say which with --device, "
                            "--operation, --key, --order, "
                            "--n, --rows and --variant",
                            files.size(), options.output.empty() ? "exported" : options.output));
  }
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const ExchangeFile& file : files) {
    paths.push_back(folder ? fs::path(options.output) / (file.name + (options.gzip ? ".gz" : ""))
                           : fs::path(options.output));
  }
  if (!folder && options.gzip && paths.front().extension() != ".gz") paths.front() += ".gz";
  return paths;
}

int run(const Options& options) {
  const bool to_output = options.output.empty() || options.output == "-";
  if (to_output && (options.common.json || options.gzip)) {
    throw Error(ErrorCode::usage, "--json and --gzip need a file or folder; name it with -o");
  }
  const TuningDatabase database = open_database(options.common);
  const ExportOptions wanted{parse_exchange_format(options.format), filter_of(options.filter, database),
                             options.open};
  if (wanted.open && wanted.format != ExchangeFormat::cache) {
    throw Error(ErrorCode::usage, "only caches can be left open; use --format cache");
  }
  const std::vector<ExchangeFile> files = export_trials(database, wanted);
  if (files.empty()) {
    throw Error(ErrorCode::input,
                fmt::format("no trials in {} match; nothing is written", database.path().string()));
  }
  const std::vector<fs::path> paths = paths_of(files, options);
  if (to_output) {
    print(files.front().content);
    return done;
  }
  Json written = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    write(paths[i], files[i].content);
    written.push_back({{"path", paths[i].string()}, {"trials", files[i].trials}});
    if (!options.common.json)
      print(fmt::format("{}: {}\n", paths[i].string(), count_text(files[i].trials, "trial")));
  }
  if (options.common.json) {
    print_json({{"database", database.path().string()}, {"format", options.format}, {"files", written}});
  }
  return done;
}

}  // namespace
}  // namespace db_export_command

void add_db_export_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "export", "Write trials as files that other tools read",
                              db_export_command::description, db_export_command::footer);
  auto options = std::make_shared<db_export_command::Options>();
  add_text(command, "--format", options->format, "json, csv, cache, t4, t1, results or wisdom", "FORMAT");
  add_text(command, "-o,--output", options->output,
           "File, or folder (an existing one, or with a slash at the end); compressed if it ends in .gz "
           "(default: standard output)",
           "PATH");
  add_flag(command, "--gzip", options->gzip, "Compress the files, and add .gz to their names");
  add_flag(command, "--open", options->open,
           "Leave caches open, as Kernel Tuner does with one that it is still writing to");
  add_problem_filter(command, options->filter);
  add_trial_filter(command, options->filter);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_export_command::run));
}

}  // namespace bitune::cli
