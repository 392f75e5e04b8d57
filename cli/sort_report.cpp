#include "cli/sort_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

/// "1000 records by price (f64 descending), time (i64 ascending)".
std::string records_text(const SortReport& report) {
  std::vector<std::string> fields;
  for (const SortedField& key : report.keys) {
    fields.push_back(fmt::format("{} ({} {})", key.name, name_of(key.type), name_of(key.order)));
  }
  return fmt::format("{}{} by {}", report.whole_records ? "" : "the indices of ",
                     count_text(report.problem.n, "record"), fmt::join(fields, ", then "));
}

/// What was sorted, without the device.
std::string subject_text(const SortReport& report) {
  if (!report.keys.empty()) return records_text(report);
  const Problem& problem = report.problem;
  std::string what = count_text(problem.n, fmt::format("{} key", name_of(problem.key)));
  if (problem.ragged) {
    what += " in " + count_text(problem.rows, "segment");
  } else if (problem.rows != 1) {
    what = count_text(problem.rows, "row") + " of " + what;
  }
  if (problem.value_bytes != 0) what += " with values of " + count_text(problem.value_bytes, "byte");
  if (selects(problem.operation)) {
    what = problem.ragged
               ? fmt::format("the first {} of each segment of {}", problem.k, what)
               : fmt::format("the first {} of {}{}", problem.k, problem.rows == 1 ? "" : "each of ", what);
  }
  if (!writes_keys(problem)) what = "the indices of " + what;
  return fmt::format("{}, {}", what, name_of(problem.order));
}

Json json_of(const std::vector<MultiResult>& ranks) {
  Json all = Json::array();
  for (const MultiResult& rank : ranks) {
    all.push_back({{"first", rank.first},
                   {"count", rank.count},
                   {"received_bytes", rank.received_bytes},
                   {"sort_us", rank.sort_us},
                   {"split_us", rank.split_us},
                   {"exchange_us", rank.exchange_us},
                   {"merge_us", rank.merge_us}});
  }
  return all;
}

Json rate_of(double keys, double us) { return us > 0 ? Json(keys / us * 1e6) : Json(); }

}  // namespace

void print_report(const SortReport& report, bool as_json) {
  if (as_json) {
    print(sort_json(report));
    return;
  }
  if (is_quiet()) return;
  const std::string text = sort_text(report);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void refuse_terminal(const std::string& destination, Format format) {
  if (destination == "-" && format != Format::text && ::isatty(STDOUT_FILENO) != 0) {
    throw Error(ErrorCode::usage,
                fmt::format("{} output does not go to a terminal; give -o FILE, or --output-format text",
                            name_of(format)));
  }
}

std::string sort_text(const SortReport& report) {
  const Problem& problem = report.problem;
  std::string text = fmt::format("sorted {}, on {}\n", subject_text(report), report.device);
  if (!report.conversion.empty()) text += fmt::format("converted      {}\n", report.conversion);
  if (!report.ranks.empty()) {
    text += fmt::format("parts          {}, an equal one for each device\n", report.ranks.size());
  } else if (report.times.parts > 1) {
    text +=
        fmt::format("parts          {}, as all at once would take more of the device's memory than it may\n",
                    report.times.parts);
  } else {
    text += fmt::format("configuration  {}\n",
                        report.how.configuration.empty() ? "none needed" : report.how.configuration);
    text += fmt::format("match          {}: {}\n", report.how.match, report.how.reason);
  }
  text += fmt::format("times          {} to the device, {} sorting, {} back, {} in all (and {} to prepare)\n",
                      microseconds_text(report.times.host_to_device_us),
                      microseconds_text(report.times.kernels_us),
                      microseconds_text(report.times.device_to_host_us),
                      microseconds_text(report.times.total_us), microseconds_text(report.prepare_ms * 1e3));
  text += fmt::format("rate           {} sorting, {} in all\n",
                      rate_text(keys_in_all(report.problem), report.times.kernels_us),
                      rate_text(keys_in_all(report.problem), report.times.total_us));
  if (report.verified) {
    text += selects(problem.operation)
                ? "verified       the first keys, in order, of equal ones those that stand first\n"
            : carried_bytes(problem) == 0
                ? "verified       in order, and every key is there\n"
                : "verified       in order, equal keys in the order of the input, and all of it is there\n";
  }
  return text;
}

std::string sort_json(const SortReport& report) {
  const double keys = keys_in_all(report.problem);
  Json fields = Json::array();
  for (const SortedField& key : report.keys) {
    fields.push_back({{"name", key.name}, {"type", name_of(key.type)}, {"order", name_of(key.order)}});
  }
  const Json document = {
      {"input", report.input},
      {"converted", report.conversion.empty() ? Json() : Json(report.conversion)},
      {"output", report.output.empty() ? Json() : Json(report.output)},
      {"values_output", report.values_output.empty() ? Json() : Json(report.values_output)},
      {"indices_output", report.indices_output.empty() ? Json() : Json(report.indices_output)},
      {"device", report.device},
      {"keys", report.keys.empty() ? Json() : fields},
      {"problem", json_of(report.problem)},
      {"configuration", report.how.configuration},
      {"match", report.how.match},
      {"reason", report.how.reason},
      {"expected_us", report.how.expected_us ? Json(*report.how.expected_us) : Json()},
      {"launches", report.how.launches},
      {"parts", report.times.parts},
      {"ranks", report.ranks.empty() ? Json() : json_of(report.ranks)},
      {"prepare_ms", report.prepare_ms},
      {"times",
       {{"host_to_device_us", report.times.host_to_device_us},
        {"kernels_us", report.times.kernels_us},
        {"device_to_host_us", report.times.device_to_host_us},
        {"total_us", report.times.total_us}}},
      {"keys_per_second",
       {{"kernels", rate_of(keys, report.times.kernels_us)},
        {"total", rate_of(keys, report.times.total_us)}}},
      {"verified", report.verified ? Json(*report.verified) : Json()}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace bitune::cli
