#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/db.hpp"
#include "cli/formats/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/report/page.hpp"
#include "cli/report/report_model.hpp"
#include "cli/terminal.hpp"
#include "model/timestamp.hpp"

namespace bitune::cli {
namespace db_report_command {
namespace {

constexpr const char* description =
    "Writes one self-contained HTML page about the tuning database: for each device and problem the best "
    "with its interval, how all valid configurations are distributed, a heat map over any two parameters, "
    "what each parameter does, how the search went on, what failed; and the best variant over n, with CUB "
    "beside it where `bitune bench --out` recorded it. The page needs no network; the file may be sent to "
    "anybody. An older file of that name is replaced; - is standard output.";

constexpr const char* footer =
    "Examples:\n"
    "  bitune db report report.html\n"
    "  bitune db report h200.html --device H200 --key u32\n"
    "  bitune bench --out cub.json; bitune db report report.html --bench cub.json";

struct Options {
  CommonOptions common;
  FilterOptions filter;
  std::string output;
  std::vector<std::string> bench;
};

std::vector<BenchRecord> read_records(const std::vector<std::string>& paths) {
  std::vector<BenchRecord> all;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || !text) {
      throw Error(ErrorCode::io, fmt::format("the bench results '{}' cannot be read", path));
    }
    const auto records = parse_bench_records(text.str(), path);
    all.insert(all.end(), records.begin(), records.end());
  }
  return all;
}

// The problems of the model, and the comparisons that are in it.
std::pair<std::size_t, std::size_t> counted(const Json& model) {
  std::size_t problems = 0;
  std::size_t compared = 0;
  for (const Json& device : model["devices"]) {
    for (const Json& group : device["groups"]) {
      problems += group["problems"].size();
      compared += group["bench"].is_null() ? 0 : group["bench"]["records"].size();
    }
  }
  return {problems, compared};
}

int run(const Options& options) {
  if (options.output == "-" && options.common.json) {
    throw Error(ErrorCode::usage, "with - the page goes to standard output; --json needs a file for it");
  }
  const TuningDatabase database = open_database(options.common);
  const std::vector<BenchRecord> records = read_records(options.bench);
  OutputFile file(options.output);
  ProgressLine line;
  const Json model =
      report_model(database, {filter_of(options.filter, database), records, timestamp_now()},
                   [&line](std::size_t done, std::size_t count) {
                     if (line.due())
                       line.show(fmt::format("report {} problems", ProgressLine::bar(done, count)));
                   });
  line.clear();
  const auto [problems, compared] = counted(model);
  if (problems == 0) {
    throw Error(ErrorCode::input, fmt::format("no trials in {} match; `bitune db list` tells what there is",
                                              database.path().string()));
  }
  const std::string page = page_of(model);
  file.write(std::string_view(page));
  file.commit();
  if (options.output == "-") {
    return done;
  }
  if (options.common.json) {
    print_json({{"database", database.path().string()},
                {"output", options.output},
                {"devices", model["devices"].size()},
                {"problems", problems},
                {"comparisons", compared},
                {"bytes", page.size()}});
  } else {
    print(fmt::format("{}: {} on {}, {:.1f} MB; open it in a browser.\n", options.output,
                      count_text(problems, "problem"), count_text(model["devices"].size(), "device"),
                      static_cast<double>(page.size()) / 1e6));
  }
  if (!records.empty() && compared == 0) {
    print_remark(fmt::format("none of the {} bench results is about a device and problem of the report",
                             records.size()));
  }
  return done;
}

}  // namespace
}  // namespace db_report_command

void add_db_report_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "report", "A page of charts about what was tuned",
                              db_report_command::description, db_report_command::footer);
  auto options = std::make_shared<db_report_command::Options>();
  add_argument(command, "OUT.html", options->output, "The page to write", true);
  add_list(command, "--bench", options->bench, "Results of `bitune bench --out`, to show CUB beside",
           "FILE,...");
  add_problem_filter(command, options->filter);
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  on_parsed(command, action_setter(action, options, db_report_command::run));
}

}  // namespace bitune::cli
