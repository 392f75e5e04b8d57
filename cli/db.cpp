#include "cli/db.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/operations.hpp"
#include "measure/json.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"

namespace bitune::cli {
namespace {

constexpr const char* description =
    "Looks into the tuning database: which devices and problems were tuned, what was tried, what won and by "
    "how much. "
    "Nothing here needs a GPU, and only import, merge and prune change the database.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db list                          what was tuned\n"
    "  bitune db best --key f32                the best configuration for each size\n"
    "  bitune db trials --status wrong_result  what went wrong\n"
    "  bitune db show 17                       one trial, with all its samples\n"
    "  bitune db report report.html            a page of charts about all of it\n"
    "  bitune db export --format cache -o caches/   files for Kernel Tuner";

std::string device_list(const std::vector<DeviceRow>& devices) {
  std::string text;
  for (const DeviceRow& row : devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", row.info.name, row.info.digest().substr(0, 8));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void add_problem_filter(CLI::App& command, FilterOptions& options) {
  add_text(command, "--device", options.device,
           "Part of a device's name, or the beginning of its digest (default: all)", "DEVICE");
  add_text(command, "--operation", options.operation, "sort, sort_pairs or argsort (default: all)",
           "OPERATION");
  add_text(command, "--value-bytes", options.value_bytes, "Of the value of a pair (default: all)", "BYTES");
  add_text(command, "--index-bytes", options.index_bytes, "Of the indices (default: all)", "BYTES");
  add_text(command, "--key", options.key, "Key type (default: all)", "TYPE");
  add_text(command, "--order", options.order, "ascending or descending (default: both)", "ORDER");
  add_text(command, "--n", options.n, "Keys an array, as in 2^20 (default: all)", "SIZE");
  add_text(command, "--rows", options.rows, "Arrays side by side (default: all)", "R");
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

DeviceRow find_device(const TuningDatabase& database, const std::string& text) {
  const auto devices = database.devices();
  std::vector<DeviceRow> found;
  for (const DeviceRow& row : devices) {
    if (row.info.name == text || row.info.digest() == text || row.software.uuid == text) {
      return row;
    }
    if (row.info.name.find(text) != std::string::npos || row.info.digest().starts_with(text)) {
      found.push_back(row);
    }
  }
  if (found.size() != 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' names {} device of {}; there are: {}", text, found.empty() ? "no" : "more than one",
                    database.path().string(), device_list(found.empty() ? devices : found)));
  }
  return found.front();
}

TrialFilter filter_of(const FilterOptions& options, const TuningDatabase& database) {
  TrialFilter filter;
  if (!options.device.empty()) {
    filter.device_digest = find_device(database, options.device).info.digest();
  }
  if (!options.operation.empty()) {
    filter.operation = parse_operation(options.operation);
  }
  if (!options.value_bytes.empty()) {
    filter.value_bytes = parse_value_bytes({options.value_bytes}).front();
  }
  if (!options.index_bytes.empty()) {
    filter.index_bytes = parse_index_bytes({options.index_bytes}).front();
  }
  if (!options.key.empty()) {
    filter.key = parse_key_type(options.key);
  }
  if (!options.order.empty()) {
    filter.order = parse_order(options.order);
  }
  if (!options.n.empty()) {
    filter.n = parse_size(options.n);
  }
  if (!options.rows.empty()) {
    filter.rows = parse_size(options.rows);
  }
  if (!options.variant.empty()) {
    filter.variant = variant(options.variant).name();
  }
  if (!options.status.empty()) {
    filter.status = parse_trial_status(options.status);
  }
  return filter;
}

bool restricts(const FilterOptions& options) {
  return !(options.device.empty() && options.operation.empty() && options.value_bytes.empty() &&
           options.index_bytes.empty() && options.key.empty() && options.order.empty() && options.n.empty() &&
           options.rows.empty() && options.variant.empty() && options.status.empty());
}

Json json_of_row(const TrialRow& row) {
  Json document = {{"id", row.id},
                   {"device", row.device_name},
                   {"device_digest", row.device_digest},
                   {"software", json_of(row.software)},
                   {"protocol", json_of(row.protocol)},
                   {"origin", row.origin}};
  document.update(json_of(row.trial));
  if (row.statistics) document["statistics"] = json_of(*row.statistics);
  return document;
}

std::vector<std::string> problem_cells(const Problem& problem) {
  return {operation_text(problem), std::string(name_of(problem.key)),
          problem.order == Order::ascending ? "asc" : "desc", size_text(problem.n),
          std::to_string(problem.rows)};
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
