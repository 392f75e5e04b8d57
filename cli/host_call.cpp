#include "cli/host_call.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bitune/bitune.hpp"
#include "measure/oracle.hpp"

namespace bitune::cli {

SortReport call_on_host(const CommonOptions& common, const Problem& problem, const Operands& operands,
                        bool verify) {
  Sorter sorter(SorterOptions{common.device, common.database, {}, true});
  return call_on_host(sorter, problem, operands, verify);
}

SortReport call_on_host(Sorter& sorter, const Problem& problem, const Operands& operands, bool verify) {
  SortReport report;
  report.problem = problem;
  report.device = sorter.device();
  const auto begin = std::chrono::steady_clock::now();
  sorter.prepare(problem);
  report.prepare_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  report.how = sorter.explain(problem);
  report.times = sorter.run_host(problem, operands);
  if (!verify) return report;
  if (const auto fault = find_fault(problem, operands)) {
    throw Error(ErrorCode::verification,
                fmt::format("the result is wrong ({}); nothing was written. Please report this with the "
                            "configuration that `--json` shows",
                            *fault));
  }
  report.verified = true;
  return report;
}

}  // namespace bitune::cli
