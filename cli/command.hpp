#pragma once

/// \file
/// What the subcommands of `bitune` share.

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace CLI {
class App;
}

namespace bitune {

/// Runs the command with these arguments; returns the exit code. Never throws: an error is one sentence on
/// standard error.
[[nodiscard]] int run_command(int argc, const char* const* argv);

/// As run_command, for a process that is the command: what the library logs is printed as remarks.
[[nodiscard]] int run_process(int argc, const char* const* argv);

namespace cli {

/// What the process returns. A command that a signal ended returns 128 + its number (130 after Ctrl-C).
enum ExitCode : int { done = 0, failed = 1, bad_usage = 2 };

/// What is to be done once the arguments are parsed; returns the exit code.
using Action = std::function<int()>;

/// Adds a subcommand with what its `--help` says: a line for the list of commands, a paragraph, and a footer
/// of examples.
CLI::App& add_command(CLI::App& parent, const char* name, const char* summary, const char* paragraph,
                      const char* footer);

/// Options that several subcommands take, with the same meaning in each.
struct CommonOptions {
  bool json = false;
  std::string database;         ///< empty: the default
  std::string device = "auto";  ///< selector
  std::string device_memory;    ///< a size; empty: what is free
};

/// Each adds the option to a subcommand, bound to `options`.
void add_json_option(CLI::App& command, CommonOptions& options);
void add_database_option(CLI::App& command, CommonOptions& options);
void add_device_option(CLI::App& command, CommonOptions& options);
/// For commands that sort files.
void add_device_memory_option(CLI::App& command, CommonOptions& options);

/// Each adds its subcommand, which sets `action` when it is the one given.
void add_devices_command(CLI::App& parent, Action& action);
void add_tune_command(CLI::App& parent, Action& action);
void add_sort_command(CLI::App& parent, Action& action);
void add_argsort_command(CLI::App& parent, Action& action);
void add_topk_command(CLI::App& parent, Action& action);
void add_db_command(CLI::App& parent, Action& action);
void add_bench_command(CLI::App& parent, Action& action);
void add_worker_command(CLI::App& parent, Action& action);

/// Makes the subcommand run `run` with the options, which live as long as the action.
template <class Options>
[[nodiscard]] auto action_setter(Action& action, std::shared_ptr<Options> options,
                                 int (*run)(const Options&)) {
  return [&action, options, run] { action = [options, run] { return run(*options); }; };
}

/// Path of the tuning database that the options name, or the default.
[[nodiscard]] std::filesystem::path database_path(const CommonOptions& options);

/// For what only reads it: the database that --db names must be there. \throws Error (database)
void require_named_database(const CommonOptions& options);

/// Key types by name, "all" for the twelve of them; without duplicates. \throws Error (usage)
[[nodiscard]] std::vector<KeyType> parse_key_types(const std::vector<std::string>& names);

/// Writes to standard output. \throws Error (io) if that fails, as on a full disk
void print(std::string_view text);

/// Prints one document, indented, with a line feed.
void print_json(const nlohmann::ordered_json& document);

/// An error for people on standard error: "bitune: <sentence>", with control characters and what is no UTF-8
/// escaped.
void print_error(std::string_view sentence);

/// The same of what is no error; nothing where `--quiet` was given.
void print_remark(std::string_view sentence);

/// Whether `--quiet`, which each command takes, was given: on standard error errors alone are printed.
[[nodiscard]] bool is_quiet() noexcept;

}  // namespace cli
}  // namespace bitune
