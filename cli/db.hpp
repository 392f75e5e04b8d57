#pragma once

/// \file
/// What the subcommands of `bitune db` share.

#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "measure/trial_filter.hpp"

namespace bitune::cli {

/// Options that say which trials a command is about; empty ones do not restrict.
struct FilterOptions : FilterTexts {
  std::string value_bytes;
  std::string index_bytes;
};

/// Adds --device, --operation, --value-bytes, --index-bytes, --key, --order, --n, --rows and --k.
void add_problem_filter(CLI::App& command, FilterOptions& options);
/// Adds --variant and --status.
void add_trial_filter(CLI::App& command, FilterOptions& options);

/// Opens the database read-only. \throws Error (database) that says how to make one if there is none
[[nodiscard]] TuningDatabase open_database(const CommonOptions& options,
                                           DatabaseMode mode = DatabaseMode::read_only);

/// \throws Error (usage) for words that do not exist
[[nodiscard]] TrialFilter filter_of(const FilterOptions& options, const TuningDatabase& database);

/// Whether any option restricts.
[[nodiscard]] bool restricts(const FilterOptions& options);

/// The columns of a problem (operation, type, order, n and rows) between others.
[[nodiscard]] std::vector<Table::Column> with_problem(std::vector<Table::Column> before,
                                                      const std::vector<Table::Column>& behind);
/// The cells of a row of it.
[[nodiscard]] std::vector<std::string> with_problem(std::vector<std::string> before, const Problem& problem,
                                                    const std::vector<std::string>& behind);

/// What lists problems of a database may be told.
struct ListOptions {
  CommonOptions common;
  FilterOptions filter;
};

/// A command of that name that lists problems.
void add_problem_list(CLI::App& parent, Action& action, const char* name, const char* summary,
                      const char* description, const char* footer, int (*run)(const ListOptions&));

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
