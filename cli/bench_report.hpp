#pragma once

/// \file
/// What `bitune bench` and its subcommands share.

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/stop_on_signal.hpp"
#include "measure/json.hpp"

namespace bitune::cli {

/// Options that all of them take.
struct BenchOptions {
  CommonOptions common;
  int samples = 0;
  std::uint64_t seed = 1;
  std::string output;
};
/// `samples` says of what, and `place` what an older record was measured on that a new one replaces.
void add_bench_options(CLI::App& command, BenchOptions& options, const char* samples, const char* place);

/// What was measured, for people and for programs.
struct BenchReport {
  Json document = Json::object();  ///< members that not all suites have
  std::string records;             ///< as JSON
  std::string table;
  std::string note;
  std::size_t count = 0;
  std::size_t wrong = 0;  ///< records that are not verified
};

template <class Result>
[[nodiscard]] BenchReport report_of(const Result& result, std::string records, std::string table) {
  const auto wrong = std::count_if(result.records.begin(), result.records.end(),
                                   [](const auto& record) { return !record.verified; });
  return {.records = std::move(records),
          .table = std::move(table),
          .note = result.note,
          .count = result.records.size(),
          .wrong = static_cast<std::size_t>(wrong)};
}

/// Prints it. Returns the exit code, which tells of a signal, and of what was sorted wrongly.
[[nodiscard]] int print_report(const BenchReport& report, const CommonOptions& options,
                               const StopOnSignal& stop);

}  // namespace bitune::cli
