#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"

namespace bitune::cli {
namespace db_show_command {
namespace {

constexpr const char* description =
    "Shows all of one trial (its parameters, resources, samples, and the software it was made with), or "
    "of one device: its facts, and how much is known of it. Trials go by the numbers that `db trials` and "
    "`db best` show, devices by a part of their name or the beginning of their digest.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db show 17\n"
    "  bitune db show H200\n"
    "  bitune db show emulated --json";

struct Options {
  CommonOptions common;
  std::string what;
};

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "name:   value" lines, the values in a column.
class Sheet {
 public:
  template <class Value>
  void add(std::string name, const Value& value) {
    widest_ = std::max(widest_, name.size());
    lines_.emplace_back(std::move(name), fmt::to_string(value));
  }
  /// Long values go on below themselves.
  [[nodiscard]] std::string text() const {
    constexpr std::size_t least_width = 20;
    const std::size_t indent = widest_ + 3;
    const std::size_t terminal = output_width();
    const std::size_t width =
        terminal == unlimited_width ? terminal : std::max(terminal, indent + least_width) - indent;
    std::string text;
    for (const auto& [name, value] : lines_) {
      std::string rest = width == unlimited_width ? value : wrapped(value, width);
      for (std::size_t end = rest.find('\n'); end != std::string::npos && width != unlimited_width;
           end = rest.find('\n', end + 1)) {
        rest.insert(end + 1, indent, ' ');
      }
      text += fmt::format("{:<{}}{}\n", name + ':', indent, rest);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
  std::size_t widest_ = 0;
};

std::string samples_text(const std::vector<double>& samples) {
  std::string text;
  for (const double sample : samples) {
    text += fmt::format("{}{:.2f}", text.empty() ? "" : " ", sample);
  }
  return text.empty() ? "none" : text;
}

std::string trial_text(const TrialRow& row) {
  const Trial& trial = row.trial;
  Sheet sheet;
  sheet.add("trial", row.id);
  sheet.add("problem", text_of(trial.problem));
  sheet.add("device", fmt::format("{} ({})", row.device_name, row.device_digest));
  sheet.add("status", name_of(trial.status));
  if (!trial.message.empty()) {
    sheet.add("message", trial.message);
  }
  sheet.add("variant", trial.configuration.variant);
  for (const auto& [name, value] : trial.configuration.parameters) {
    sheet.add("  " + name, value);
  }
  sheet.add("median", microseconds_text(trial.median_us()));
  if (const auto median = trial.median_us()) {
    sheet.add("rate", rate_text(keys_in_all(trial.problem), *median));
    if (row.statistics) {
      const auto& [middle, deviation, low, high] = *row.statistics;
      // Of one sample there is none.
      if (const double coverage = coverage_of(trial.samples_us, low, high); coverage > 0) {
        sheet.add(fmt::format("interval ({:.0f} %)", 100 * coverage),
                  fmt::format("{} to {}", microseconds_text(low), microseconds_text(high)));
      }
      sheet.add("deviation (MAD)", microseconds_text(row.statistics->mad));
    }
    const auto [low, high] = std::minmax_element(trial.samples_us.begin(), trial.samples_us.end());
    sheet.add("range", fmt::format("{} to {}", microseconds_text(*low), microseconds_text(*high)));
  }
  if (trial.clock.is_known()) {
    sheet.add("SM clock", fmt::format("{} to {} MHz", trial.clock.lowest_mhz, trial.clock.highest_mhz));
  }
  if (trial.clock.throttled != 0) sheet.add("throttled", throttle_text(trial.clock.throttled));
  if (trial.remeasured > 0)
    sheet.add("measured again", count_text(static_cast<std::uint64_t>(trial.remeasured), "time"));
  sheet.add("finalist", trial.finalist ? "yes" : "no");
  sheet.add("launches", trial.launches);
  sheet.add("registers a thread", trial.registers);
  sheet.add("local bytes a thread", trial.local_bytes);
  sheet.add("shared bytes a block", trial.shared_bytes);
  sheet.add("compile", fmt::format("{:.1f} ms", trial.compile_ms));
  sheet.add("verify", fmt::format("{:.1f} ms", trial.verify_ms));
  sheet.add("measure", fmt::format("{:.1f} ms", trial.measure_ms));
  sheet.add("protocol", row.protocol.text());
  sheet.add("origin", row.origin.empty() ? "measured by bitune" : row.origin);
  sheet.add("kernel sources", trial.kernel_digest);
  sheet.add("device uuid", row.software.uuid);
  sheet.add("driver", row.software.driver);
  sheet.add("compiler", row.software.compiler);
  sheet.add("time", trial.timestamp);
  sheet.add("samples (us)", samples_text(trial.samples_us));
  return sheet.text();
}

std::string device_text(const DeviceRow& row) {
  const DeviceInfo& info = row.info;
  Sheet sheet;
  sheet.add("device", info.name);
  sheet.add("digest", info.digest());
  sheet.add("kind", info.kind);
  if (info.kind == "cuda") {
    sheet.add("architecture", fmt::format("sm_{}", info.compute_capability()));
  }
  sheet.add("SMs", info.sm_count);
  sheet.add("threads a block", info.max_threads_per_block);
  sheet.add("shared bytes a block", info.shared_bytes_per_block_optin);
  sheet.add("registers a block", info.registers_per_block);
  sheet.add("L2 bytes", info.l2_bytes);
  sheet.add("memory bytes", info.memory_bytes);
  sheet.add("uuid", row.software.uuid);
  sheet.add("driver", row.software.driver);
  sheet.add("compiler", row.software.compiler);
  sheet.add("trials", row.trials);
  sheet.add("last seen", row.last_seen);
  return sheet.text();
}

int run(const Options& options) {
  const TuningDatabase database = open_database(options.common);
  if (const auto id = number_in(options.what)) {
    if (const auto row = database.trial(*id)) {
      if (options.common.json) {
        print_json(json_of_row(*row));
      } else {
        print(trial_text(*row));
      }
      return done;
    }
    throw Error(ErrorCode::input, fmt::format("there is no trial {} in {}; `bitune db trials` lists them",
                                              *id, database.path().string()));
  }
  const DeviceRow row = find_device(database, options.what);
  if (options.common.json) {
    print_json({{"info", json_of(row.info)},
                {"software", json_of(row.software)},
                {"trials", row.trials},
                {"last_seen", row.last_seen}});
  } else {
    print(device_text(row));
  }
  return done;
}

}  // namespace
}  // namespace db_show_command

void add_db_show_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "show", "All of one trial, or of one device",
                              db_show_command::description, db_show_command::footer);
  auto options = std::make_shared<db_show_command::Options>();
  add_argument(command, "WHAT", options->what, "Number of a trial, or a device", true);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_show_command::run));
}

}  // namespace bitune::cli
