#include "cli/host_call.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bitune/bitune.hpp"
#include "measure/oracle.hpp"
#include "model/problem.hpp"

namespace bitune::cli {

SorterOptions sorter_options(const CommonOptions& common, ProgressLine& line) {
  SorterOptions options;
  options.device = common.device;
  options.database = common.database;
  options.stand_ins = true;
  if (!common.device_memory.empty()) options.device_memory = parse_size(common.device_memory);
  options.progress = [&line](std::uint64_t done, std::uint64_t parts) {
    if (!line.due()) return;
    line.show(fmt::format("sort {} parts", ProgressLine::bar(done, parts)));
  };
  return options;
}

void prepare(Sorter& sorter, const Problem& problem, SortReport& report) {
  report.device = sorter.device();
  // What is done in parts is not prepared as a whole: it may be too large for that.
  if (sorter.host_parts(problem) > 1) return;
  const auto begin = std::chrono::steady_clock::now();
  sorter.prepare(problem);
  report.prepare_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  report.how = sorter.explain(problem);
}

void verify_call(const Problem& problem, const Operands& operands, SortReport& report) {
  if (const auto fault = find_fault(problem, operands)) {
    throw Error(ErrorCode::verification,
                fmt::format("the result is wrong ({}); nothing was written. Please report this with the "
                            "configuration that `--json` shows",
                            *fault));
  }
  report.verified = true;
}

SortReport call_on_host(Sorter& sorter, const Problem& problem, const Operands& operands, bool verify) {
  SortReport report;
  report.problem = problem;
  prepare(sorter, problem, report);
  report.times = sorter.run_host(problem, operands);
  if (verify) verify_call(problem, operands, report);
  return report;
}

}  // namespace bitune::cli
