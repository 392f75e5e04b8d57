#pragma once

/// \file
/// What the subcommands of `bitune db` share.

#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "cli/command.hpp"

namespace bitune::cli {

/// Options that say which trials a command is about; empty ones do not restrict.
struct FilterOptions {
  std::string device;
  std::string operation;
  std::string value_bytes;
  std::string index_bytes;
  std::string key;
  std::string order;
  std::string n;
  std::string rows;
  std::string variant;
  std::string status;
};

/// Adds --device, --operation, --value-bytes, --index-bytes, --key, --order, --n and --rows.
void add_problem_filter(CLI::App& command, FilterOptions& options);
/// Adds --variant and --status.
void add_trial_filter(CLI::App& command, FilterOptions& options);

/// Opens the database read-only. \throws Error (database) that says how to make one if there is none
[[nodiscard]] TuningDatabase open_database(const CommonOptions& options,
                                           DatabaseMode mode = DatabaseMode::read_only);

/// The one device that `text` names: its number in the database's list, the beginning of its digest, or a
/// part of its name. \throws Error (usage) that lists the devices if there is none, or more than one
[[nodiscard]] DeviceRow find_device(const TuningDatabase& database, const std::string& text);

/// \throws Error (usage) for words that do not exist
[[nodiscard]] TrialFilter filter_of(const FilterOptions& options, const TuningDatabase& database);

/// Whether any option restricts.
[[nodiscard]] bool restricts(const FilterOptions& options);

/// A trial as a document: its id, device, software and protocol before what json_of(Trial) says.
[[nodiscard]] nlohmann::ordered_json json_of_row(const TrialRow& row);

/// "sort u32 ascending n=2^20" in the shape that tables use: operation, key, order, n and rows.
[[nodiscard]] std::vector<std::string> problem_cells(const Problem& problem);

/// Each adds its subcommand.
void add_db_list_command(CLI::App& parent, Action& action);
void add_db_best_command(CLI::App& parent, Action& action);
void add_db_show_command(CLI::App& parent, Action& action);
void add_db_trials_command(CLI::App& parent, Action& action);
void add_db_report_command(CLI::App& parent, Action& action);
void add_db_check_command(CLI::App& parent, Action& action);
void add_db_prune_command(CLI::App& parent, Action& action);
void add_db_ship_command(CLI::App& parent, Action& action);
void add_db_export_command(CLI::App& parent, Action& action);
void add_db_import_command(CLI::App& parent, Action& action);
void add_db_merge_command(CLI::App& parent, Action& action);

}  // namespace bitune::cli
