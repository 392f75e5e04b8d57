#include "cli/device_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "bitune/multi.hpp"
#include "cli/arguments.hpp"
#include "cli/host_call.hpp"

namespace bitune::cli {

void add_call_options(CLI::App& command, CommonOptions& common, std::vector<std::string>& devices) {
  add_device_option(command, common);
  add_device_memory_option(command, common);
  add_list(command, "--devices", devices,
           "One array over several devices, a part on each: GPUs as --device names them, or all", "LIST");
  for (const char* other : {"--device", "--device-memory", "--offsets"}) {
    refuse_with(command, "--devices", other);
  }
  add_database_option(command, common);
  add_json_option(command, common);
}

SortReport call_over_devices(const std::vector<std::string>& devices, const CommonOptions& common,
                             const Problem& problem, const Operands& operands, bool verify) {
  MultiOptions options;
  options.devices = devices;
  options.database = common.database;
  MultiSorter sorter(options);
  SortReport report;
  report.problem = problem;
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(sorter.ranks()));
  for (int rank = 0; rank < sorter.ranks(); ++rank) names.push_back(sorter.device(rank));
  report.device = fmt::format("{}", fmt::join(names, ", "));

  const auto begin = std::chrono::steady_clock::now();
  report.ranks = sorter.run_host(problem, operands);
  report.times.total_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  for (const MultiResult& rank : report.ranks) {  // each step as long as on the device that is last
    const auto longest = [](double& most, double us) { most = std::max(most, us); };
    longest(report.times.host_to_device_us, rank.host_to_device_us);
    longest(report.times.kernels_us, rank.sort_us + rank.split_us + rank.exchange_us + rank.merge_us);
    longest(report.times.device_to_host_us, rank.device_to_host_us);
  }
  if (verify) verify_call(problem, operands, report);
  return report;
}

}  // namespace bitune::cli
