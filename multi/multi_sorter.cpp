#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "bitune/bitune.hpp"
#include "bitune/multi.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "multi/agreement.hpp"
#include "multi/host_rank.hpp"
#include "multi/local_ranks.hpp"
#include "multi/rank_call.hpp"
#include "multi/rank_plan.hpp"
#include "runtime/at_once.hpp"
#include "runtime/check_operands.hpp"

namespace bitune {
namespace {

using multi::RankDevice;

/// The devices as they are opened.
std::vector<std::string> names_of(const MultiOptions& options) {
  if (options.devices != std::vector<std::string>{"all"}) return options.devices;
  std::vector<std::string> gpus;
  for (const DeviceReport::Entry& entry : find_devices().devices) {
    if (entry.info.kind == "cuda") gpus.push_back(entry.selector);
  }
  if (gpus.empty()) {
    throw Error(ErrorCode::unavailable, "there is no GPU: 'bitune devices' says what is missing");
  }
  return gpus;
}

/// A rank for each name; equal names are one device.
std::vector<std::shared_ptr<RankDevice>> open_devices(const MultiOptions& options) {
  const std::vector<std::string> names = names_of(options);
  if (names.empty()) throw Error(ErrorCode::usage, "name a device for each rank, such as 0 and 1");
  std::map<std::string, std::shared_ptr<RankDevice>> opened;
  std::vector<std::shared_ptr<RankDevice>> devices;
  for (const std::string& name : names) {
    std::shared_ptr<RankDevice>& device = opened[name];
    if (!device) {
      SorterOptions one;
      one.device = name;
      one.database = options.database;
      one.kernel_cache = options.kernel_cache;
      device = std::make_shared<RankDevice>(open_engine(one));
    }
    if (!devices.empty() && device->device().info().kind != devices[0]->device().info().kind) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} and {} do not sort together: all devices are GPUs, or all are emulated",
                              devices[0]->device().describe(), device->device().describe()));
    }
    devices.push_back(device);
  }
  return devices;
}

bool all_reach_all(const std::vector<std::shared_ptr<RankDevice>>& devices) {
  return std::all_of(devices.begin(), devices.end(), [&](const auto& one) {
    return std::all_of(devices.begin(), devices.end(),
                       [&](const auto& other) { return one->device().reaches(other->device()); });
  });
}

}  // namespace

struct MultiSorter::Implementation {
  explicit Implementation(const MultiOptions& options)
      : devices(open_devices(options)),
        time_limit(options.time_limit),
        reads_directly(all_reach_all(devices)),
        workspaces(devices.size()) {}

  /// The workspace that is kept for a rank, made larger if need be. Only by the rank's thread.
  Operand workspace(std::size_t rank, std::uint64_t bytes) {
    std::unique_ptr<DeviceBuffer>& kept = workspaces[rank];
    if (!kept || kept->size() < bytes) {
      kept.reset();
      kept = devices[rank]->device().allocate(std::max<std::uint64_t>(bytes, 1));
    }
    return {kept->data(), kept->size(), 0};
  }

  /// What each rank does of a call, on a thread for each.
  using RankWork = std::function<MultiResult(std::size_t rank, RankDevice& device, multi::Communicator&,
                                             const multi::WorkspaceFunction&)>;

  std::vector<MultiResult> on_each(const RankWork& work) {
    const std::size_t count = devices.size();
    const std::lock_guard lock(calls);
    multi::LocalRanks meeting(static_cast<int>(count), time_limit, reads_directly);
    std::vector<MultiResult> results(count);
    std::vector<std::exception_ptr> failures(count);
    at_once(count, count, [&](std::uint64_t rank) {  // never throws: each rank must come
      RankDevice& device = *devices[rank];
      const auto communicator = meeting.communicator(static_cast<int>(rank), device.device());
      const auto guarded = [&] {
        try {
          results[rank] =
              work(rank, device, *communicator, [&](std::uint64_t bytes) { return workspace(rank, bytes); });
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      };
      device.device().for_other_thread(guarded)();
    });
    if (const auto rank = meeting.ended_by()) {
      std::rethrow_exception(failures[static_cast<std::size_t>(*rank)]);
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    return results;
  }

  std::vector<std::shared_ptr<RankDevice>> devices;  ///< by rank
  std::chrono::milliseconds time_limit;
  bool reads_directly;                                    ///< each device reaches the memory of all
  std::vector<std::unique_ptr<DeviceBuffer>> workspaces;  ///< by rank
  std::mutex calls;                                       ///< one at a time
};

MultiSorter::MultiSorter(MultiOptions options) : implementation_(std::make_unique<Implementation>(options)) {}
MultiSorter::~MultiSorter() = default;
MultiSorter::MultiSorter(MultiSorter&&) noexcept = default;
MultiSorter& MultiSorter::operator=(MultiSorter&&) noexcept = default;

int MultiSorter::ranks() const noexcept { return static_cast<int>(implementation_->devices.size()); }

std::vector<MultiResult> MultiSorter::run(const SortSpec& spec, const std::vector<MultiPart>& parts) {
  const std::size_t count = implementation_->devices.size();
  if (parts.size() != count) {
    throw Error(ErrorCode::usage, fmt::format("{} parts were given for {} ranks", parts.size(), count));
  }
  return implementation_->on_each([&](std::size_t rank, RankDevice& device, multi::Communicator& communicator,
                                      const multi::WorkspaceFunction& workspace) {
    return multi::run_rank(device, communicator, spec, parts[rank], workspace);
  });
}

std::vector<MultiResult> MultiSorter::run_host(const Problem& problem, const Operands& operands) {
  check_operands(problem, operands);
  if (problem.kind() != ShapeKind::array || selects(problem.operation)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' is not done over several devices: in the host's memory they sort one array, "
                    "keys with values, or find indices",
                    text_of(problem)));
  }
  return implementation_->on_each([&](std::size_t, RankDevice& device, multi::Communicator& communicator,
                                      const multi::WorkspaceFunction& workspace) {
    return multi::run_host_rank(device, communicator, problem, operands, workspace);
  });
}

std::uint64_t MultiSorter::workspace_size(const SortSpec& spec, std::uint64_t n, std::uint64_t result,
                                          int rank) {
  RankDevice& device = *implementation_->devices.at(static_cast<std::size_t>(rank));
  // What the caller gives is not read by other ranks: their pieces are copied.
  constexpr bool reads_directly = false;
  return multi::plan_rank(device.engine(), spec, ranks(), n, multi::most_received(spec, ranks(), result),
                          reads_directly)
      .bytes;
}

std::uint64_t MultiSorter::equal_part_of(std::uint64_t n, int rank) const noexcept {
  return multi::equal_part_of(n, static_cast<std::uint64_t>(ranks()), static_cast<std::uint64_t>(rank));
}

std::string MultiSorter::device(int rank) const {
  return implementation_->devices.at(static_cast<std::size_t>(rank))->device().describe();
}

}  // namespace bitune
