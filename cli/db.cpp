#include "cli/db.hpp"

#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/operations.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

constexpr const char* description =
    "Looks into the tuning database: which devices and problems were tuned, what was tried, what won and "
    "by how much. Nothing here needs a GPU, and only import, merge and prune change the database.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db list                          what was tuned\n"
    "  bitune db best --key f32                the best configuration for each size\n"
    "  bitune db trials --status wrong_result  what went wrong\n"
    "  bitune db show 17                       one trial, with all its samples\n"
    "  bitune db report report.html            a page of charts about all of it\n"
    "  bitune db export --format cache -o caches/   files for Kernel Tuner";

}  // namespace

void add_problem_filter(CLI::App& command, FilterOptions& options) {
  add_text(command, "--device", options.device,
           "Part of a device's name, or the beginning of its digest (default: all)", "DEVICE");
  add_text(command, "--operation", options.operation, all_operation_names() + " (default: all)", "OPERATION");
  add_text(command, "--value-bytes", options.value_bytes, "Of the value of a pair (default: all)", "BYTES");
  add_text(command, "--index-bytes", options.index_bytes, "Of the indices (default: all)", "BYTES");
  add_text(command, "--key", options.key, "Key type (default: all)", "TYPE");
  add_text(command, "--order", options.order, "ascending or descending (default: both)", "ORDER");
  add_text(command, "--n", options.n, "Keys an array, as in 2^20 (default: all)", "SIZE");
  add_text(command, "--rows", options.rows, "Arrays side by side (default: all)", "R");
  add_text(command, "--k", options.k, "Of top_k: how many keys of each array (default: all)", "K");
}

void add_problem_list(CLI::App& parent, Action& action, const char* name, const char* summary,
                      const char* description, const char* footer, int (*run)(const ListOptions&)) {
  auto& command = add_command(parent, name, summary, description, footer);
  auto options = std::make_shared<ListOptions>();
  add_problem_filter(command, options->filter);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, run));
}

void add_trial_filter(CLI::App& command, FilterOptions& options) {
  add_text(command, "--variant", options.variant, "Family of kernels (default: all)", "NAME");
  add_text(command, "--status", options.status,
           "ok, invalid, compile_failed, spilled, over_limit, launch_failed, wrong_result, timed_out "
           "or unverified "
           "(default: all)",
           "STATUS");
}

TuningDatabase open_database(const CommonOptions& options, DatabaseMode mode) {
  const auto path = database_path(options);
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) {
    throw Error(
        ErrorCode::database,
        fmt::format("there is no tuning database at {}; `bitune tune` makes one, and --db names another",
                    path.string()));
  }
  return {path, mode};
}

TrialFilter filter_of(const FilterOptions& options, const TuningDatabase& database) {
  TrialFilter filter = filter_of(static_cast<const FilterTexts&>(options), database);
  if (!options.value_bytes.empty()) {
    filter.value_bytes = parse_value_bytes({options.value_bytes}).front();
  }
  if (!options.index_bytes.empty()) {
    filter.index_bytes = parse_index_bytes({options.index_bytes}).front();
  }
  return filter;
}

bool restricts(const FilterOptions& options) {
  return restricts(static_cast<const FilterTexts&>(options)) || !options.value_bytes.empty() ||
         !options.index_bytes.empty();
}

std::vector<Table::Column> with_problem(std::vector<Table::Column> before,
                                        const std::vector<Table::Column>& behind) {
  const std::vector<Table::Column> columns = {operation_column(),
                                              {"type"},
                                              {"order", Align::left, unlimited_width, 1},
                                              {"n", Align::right},
                                              {"rows", Align::right}};
  before.insert(before.end(), columns.begin(), columns.end());
  before.insert(before.end(), behind.begin(), behind.end());
  return before;
}

std::vector<std::string> with_problem(std::vector<std::string> before, const Problem& problem,
                                      const std::vector<std::string>& behind) {
  const std::vector<std::string> cells = {operation_text(problem), std::string(name_of(problem.key)),
                                          problem.order == Order::ascending ? "asc" : "desc",
                                          size_text(problem.n), rows_text(problem)};
  before.insert(before.end(), cells.begin(), cells.end());
  before.insert(before.end(), behind.begin(), behind.end());
  return before;
}

void add_db_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "db", "Look into the tuning database", description, footer);
  require_subcommand(command);
  add_db_list_command(command, action);
  add_db_best_command(command, action);
  add_db_show_command(command, action);
  add_db_trials_command(command, action);
  add_db_report_command(command, action);
  add_db_check_command(command, action);
  add_db_prune_command(command, action);
  add_db_ship_command(command, action);
  add_db_export_command(command, action);
  add_db_import_command(command, action);
  add_db_merge_command(command, action);
}

}  // namespace bitune::cli
