#include "cli/bench_report.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"

namespace bitune::cli {

void add_bench_options(CLI::App& command, BenchOptions& options, const char* samples, const char* place) {
  add_device_option(command, options.common);
  add_number(command, "--samples", options.samples, samples, "N", 1, 100000);
  add_number(command, "--seed", options.seed, "Seed of the keys", "N");
  add_text(command, "--out", options.output,
           fmt::format("Add the records to this JSON file, in place of older ones for the same {}", place),
           "FILE");
  add_database_option(command, options.common);
  add_json_option(command, options.common);
}

int print_report(const BenchReport& report, const CommonOptions& options, const StopOnSignal& stop) {
  if (options.json) {
    Json document = report.document;
    document["note"] = report.note;
    document["interrupted"] = stop.signal() != 0;
    document["records"] = Json::parse(report.records);
    print_json(document);
  } else {
    print(report.table);
    if (!report.note.empty()) print_remark(report.note);
  }
  if (stop.signal() != 0) return 128 + stop.signal();
  if (report.wrong == 0) return done;
  print_error(
      fmt::format("{} of {} records are not verified: a result was wrong", report.wrong, report.count));
  return failed;
}

}  // namespace bitune::cli
