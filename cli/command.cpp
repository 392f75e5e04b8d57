#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "bitune/log.hpp"
#include "bitune/version.hpp"
#include "cache/tuning_database.hpp"
#include "cli/arguments.hpp"
#include "cli/end_on_signal.hpp"
#include "cli/progress_line.hpp"
#include "cli/terminal.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace cli {
namespace {

constexpr std::size_t help_width = 100;

constexpr const char* program_description =
    "bitune sorts on GPUs with kernels that are compiled and tuned for the very GPU, key type and size at "
    "hand. `tune` "
    "searches the kernels' parameters on this GPU and stores what it measures in a tuning database; `sort` "
    "sorts a file "
    "with the best configuration that the database knows; `db` shows what was tried and what won. Without a "
    "GPU all of "
    "it runs on the emulated device.";

constexpr const char* program_footer =
    "Examples:\n"
    "  bitune devices                                   what there is to sort on\n"
    "  bitune tune --keys u32,f32 --sizes 2^10..2^20 --budget 60s\n"
    "  bitune sort numbers.npy -o sorted.npy --verify\n"
    "  bitune db best                                   what won, and by which configuration\n"
    "\n"
    "Environment:\n"
    "  BITUNE_DB      tuning database (default: $XDG_DATA_HOME/bitune/tuning.db)\n"
    "  BITUNE_CACHE   folder of compiled kernels (default: $XDG_CACHE_HOME/bitune)\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C.";

/// Of the command that this process runs.
bool quiet = false;

/// The deepest subcommand that was given, as it is typed: "bitune db list".
std::string typed_name(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app.get_name() : app.get_name() + ' ' + typed_name(*given.front());
}

/// What is wrong with the arguments. Of a word where a subcommand is due, CLI11 says only that one is
/// required.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const bool unknown = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !words.empty();
  const std::string what = unknown ? fmt::format("there is no command '{}'", words.front()) : error.what();
  return fmt::format("{}; `{} --help` shows what there is", what, typed_name(app));
}

int report(const Error& error) {
  print_error(error.what());
  return error.code() == ErrorCode::usage ? bad_usage : failed;
}

int parse_and_run(int argc, const char* const* argv) {
  quiet = false;
  remove_leftovers_on_signals();
  CLI::App app(wrapped(program_description, help_width), "bitune");
  app.footer(program_footer);
  app.get_formatter()->column_width(30);
  app.require_subcommand(1);
  app.set_version_flag("--version", "bitune " BITUNE_VERSION, "Print the version and exit");
  Action action;
  add_devices_command(app, action);
  add_tune_command(app, action);
  add_sort_command(app, action);
  add_argsort_command(app, action);
  add_topk_command(app, action);
  add_db_command(app, action);
  add_bench_command(app, action);
  add_worker_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    if (const auto words = app.remaining(true); !words.empty() && words.front() != "--help") {
      print_error(fmt::format("there is no command '{}'; `{} --help` shows what there is", words.front(),
                              typed_name(app)));
      return bad_usage;
    }
    return app.exit(request);  // --help or --version
  } catch (const CLI::ParseError& error) {
    print_error(sentence_of(error, app));
    return bad_usage;
  }
  const int code = action();
  if (std::fflush(stdout) != 0) {
    throw Error(ErrorCode::io, fmt::format("cannot write standard output: {}", std::strerror(errno)));
  }
  return code;
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const char* name, const char* summary, const char* paragraph,
                      const char* command_footer) {
  auto* command = parent.add_subcommand(name, summary);
  command->footer(command_footer);
  command->get_formatter()->column_width(30);
  command->add_flag("-q,--quiet", quiet, "Print only errors on standard error: no progress, no remarks");
  // The paragraph heads the command's own help; its parent lists the summary.
  command->preparse_callback(
      [command, paragraph](std::size_t) { command->description(wrapped(paragraph, help_width)); });
  return *command;
}

void add_json_option(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON document instead of text for people");
}

void add_database_option(CLI::App& command, CommonOptions& options) {
  add_text(command, "--db", options.database, "Tuning database (default: $BITUNE_DB, else the user's)",
           "FILE");
}

void add_device_option(CLI::App& command, CommonOptions& options) {
  add_text(command, "--device", options.device,
           "auto (GPU 0, else the emulated device), a GPU's number or UUID, or emulated", "DEVICE");
}

void add_device_memory_option(CLI::App& command, CommonOptions& options) {
  add_text(
      command, "--device-memory", options.device_memory,
      "Memory of the device that may be taken, as in 4G (default: what is free); what takes more is done "
      "in parts, with as much memory of the host again, or, from a binary file to another one, room on the "
      "disk",
      "SIZE");
}

std::filesystem::path database_path(const CommonOptions& options) {
  return options.database.empty() ? TuningDatabase::default_path() : std::filesystem::path(options.database);
}

void require_named_database(const CommonOptions& options) {
  if (std::error_code ignored; options.database.empty() || std::filesystem::exists(options.database, ignored))
    return;
  throw Error(
      ErrorCode::database,
      fmt::format("there is no tuning database {} (--db); `bitune tune --db` makes one", options.database));
}

std::vector<KeyType> parse_key_types(const std::vector<std::string>& names) {
  std::vector<KeyType> types;
  const auto add = [&types](KeyType type) {
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      types.push_back(type);
    }
  };
  for (const std::string& name : names) {
    if (name == "all") {
      std::for_each(all_key_types.begin(), all_key_types.end(), add);
    } else {
      add(parse_key_type(name));
    }
  }
  return types;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Error(ErrorCode::io, fmt::format("cannot write standard output: {}", std::strerror(errno)));
  }
}

void print_json(const nlohmann::ordered_json& document) {
  print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void print_error(std::string_view sentence) {
  clear_progress();
  const std::string line = fmt::format("bitune: {}\n", escaped(sentence));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_remark(std::string_view sentence) {
  if (!is_quiet()) print_error(sentence);
}

bool is_quiet() noexcept { return quiet; }

}  // namespace cli

int run_command(int argc, const char* const* argv) {
  try {
    return cli::parse_and_run(argc, argv);
  } catch (const Error& error) {
    return cli::report(error);
  } catch (const std::bad_alloc&) {
    return cli::report(Error(ErrorCode::io, "there is not enough host memory for this"));
  } catch (const std::length_error&) {
    return cli::report(Error(ErrorCode::io, "there is not enough host memory for this"));
  } catch (const std::exception& error) {
    return cli::report(Error(ErrorCode::io, fmt::format("internal error: {}", error.what())));
  }
}

int run_process(int argc, const char* const* argv) {
  set_log([](const std::string& sentence) { cli::print_remark(sentence); });
  return run_command(argc, argv);
}

}  // namespace bitune
