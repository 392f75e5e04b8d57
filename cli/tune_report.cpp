#include "cli/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/operations.hpp"
#include "cli/terminal.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

/// "argsort 4 B f32 2^20 x 64"; no operation for a sort of keys.
std::string problem_text(const Problem& problem) {
  const std::string operation = operation_text(problem);
  return fmt::format("{}{} {}{}", operation == "sort" ? "" : operation + " ", name_of(problem.key),
                     size_text(problem.n),
                     problem.ragged     ? fmt::format(" in {}", rows_text(problem))
                     : problem.rows > 1 ? fmt::format(" x {}", problem.rows)
                                        : "");
}

}  // namespace

std::string progress_text(const TuneProgress& progress) {
  std::string text;
  if (progress.problem != nullptr) {
    text = fmt::format("{} ({}/{}) ", problem_text(*progress.problem), progress.problem_index + 1,
                       progress.problem_count);
  }
  text += ProgressLine::bar(progress.evaluated, progress.candidates);
  if (progress.remaining_seconds) {
    text += fmt::format("  {} left", duration_text(std::max(0.0, *progress.remaining_seconds)));
  }
  if (progress.best != nullptr) {
    text += fmt::format("  best {} {}", microseconds_text(progress.best->median_us()),
                        progress.best->configuration.text());
  }
  return text;
}

void TuneDisplay::show(const DevicesProgress& progress) {
  if (parts_.size() == 1) {
    if (line_.due()) line_.show(progress_text(*progress.progress));
    return;
  }
  const TuneProgress& of_device = *progress.progress;
  parts_[progress.device] =
      of_device.problem == nullptr
          ? ""
          : fmt::format("  {}: {} {}/{}", progress.device, problem_text(*of_device.problem),
                        of_device.evaluated, of_device.candidates);
  if (!line_.due()) return;
  std::string text = ProgressLine::bar(progress.problems_done, progress.problems_count) + " problems";
  if (of_device.remaining_seconds) {
    text += fmt::format("  {} left", duration_text(std::max(0.0, *of_device.remaining_seconds)));
  }
  for (const std::string& part : parts_) {
    text += part;
  }
  line_.show(text);
}

std::string tune_text(std::span<const TuneOutcome> outcomes, const TuneSummary& summary) {
  Table table({operation_column(),
               {"type"},
               {"order", Align::left, unlimited_width, 1},
               {"n", Align::right},
               {"rows", Align::right},
               {"median", Align::right},
               {"rate", Align::right, unlimited_width, 3},
               {"evaluated", Align::right},
               {"skipped", Align::right, unlimited_width, 2},
               {"failed", Align::right, unlimited_width, 4},
               {"ties", Align::right, unlimited_width, 5},
               {"best configuration", Align::left, 20}});
  std::uint64_t evaluated = 0;
  for (const TuneOutcome& outcome : outcomes) {
    const auto median = outcome.best ? outcome.best->median_us() : std::nullopt;
    evaluated += outcome.evaluated;
    table.add({operation_text(outcome.problem), std::string(name_of(outcome.problem.key)),
               outcome.problem.order == Order::ascending ? "asc" : "desc", size_text(outcome.problem.n),
               rows_text(outcome.problem), microseconds_text(median),
               median ? rate_text(keys_in_all(outcome.problem), *median) : "-",
               std::to_string(outcome.evaluated), std::to_string(outcome.skipped),
               std::to_string(outcome.failed), std::to_string(outcome.ties.size()),
               outcome.best ? outcome.best->configuration.text() : "none"});
  }
  std::string devices;
  for (const DeviceShare& share : summary.shares) {
    if (summary.shares.size() < 2) {
      break;
    }
    devices += fmt::format("{}: {}, {}{}\n", share.device, count_text(share.problems, "problem"),
                           count_text(share.evaluated, "trial"),
                           share.error.empty() ? "" : ", failed: " + share.error);
  }
  for (const MergeOutcome& merge : summary.merging) {
    devices += fmt::format("sorting {} bytes on each together: {}, merged over the link {}: {}\n",
                           size_text(merge.bytes), microseconds_text(merge.median_us),
                           microseconds_text(merge.read_us), merge.configuration);
  }
  return fmt::format("{}\n{}{} in {} on {}, stored in {}\n", table.text(output_width()), devices,
                     count_text(evaluated, "trial"), duration_text(summary.seconds), summary.device,
                     summary.database.string());
}

}  // namespace bitune::cli
