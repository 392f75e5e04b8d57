#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "bitune/bitune.hpp"
#include "bitune/multi.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "multi/agreement.hpp"
#include "multi/host_rank.hpp"
#include "multi/local_ranks.hpp"
#include "multi/merge_tunings.hpp"
#include "multi/rank_call.hpp"
#include "multi/rank_plan.hpp"
#include "multi/rank_store.hpp"
#include "multi/rank_threads.hpp"
#include "multi/remote/remote_ranks.hpp"
#include "runtime/check_operands.hpp"

namespace bitune {
namespace {

using multi::RankDevice;

/// The devices as they are opened.
std::vector<std::string> names_of(const MultiOptions& options) {
  if (options.communicator != nullptr) {
    if (options.devices.empty()) return {std::to_string(multi::NcclLink::device_of(options.communicator))};
    if (options.devices.size() == 1) return options.devices;
    throw Error(ErrorCode::usage,
                fmt::format("a rank of a communicator has one device, not {}", options.devices.size()));
  }
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

/// From how many bytes on a way is taken: 0 says that it is not.
std::uint64_t told_or_never(std::uint64_t from_bytes) {
  return from_bytes != 0 ? from_bytes : multi::CopyRules::never;
}

/// What was tuned for these devices together. Where they do not read each other's memory, nothing was.
multi::MergeTunings tunings_of(const std::vector<std::shared_ptr<RankDevice>>& devices) {
  std::vector<const Device*> group;
  group.reserve(devices.size());
  for (const auto& device : devices) group.push_back(&device->device());
  const CandidateSet candidates = devices[0]->candidates({{.key = KeyType::u32}, {.n = 1}});
  return {candidates, multi::facts_of_group(group), devices.size()};
}

}  // namespace

struct MultiSorter::Implementation {
  explicit Implementation(const MultiOptions& options)
      : devices(open_devices(options)),
        time_limit(options.time_limit),
        reads_directly(all_reach_all(devices)),
        threads(devices.size()) {
    if (options.communicator != nullptr) {
      remote.emplace(multi::NcclLink(options.communicator, devices[0]->device(), time_limit));
    }
    const bool is_told = options.copied_from_bytes != 0 || options.least_chunk_bytes != 0 ||
                         options.split_from_bytes != 0 || options.halved_from_bytes != 0;
    if (reads_directly && devices.size() > 1 && !is_told) tunings = tunings_of(devices);
    const auto rules_for = [this,
                            told = multi::CopyRules{told_or_never(options.split_from_bytes),
                                                    told_or_never(options.halved_from_bytes),
                                                    options.copied_from_bytes, options.least_chunk_bytes},
                            is_told](std::uint64_t bytes) {
      if (is_told) return told;
      multi::CopyRules rules = tunings.rules_for(bytes);
      // On one host ranks gain nothing by it (docs/multi.md).
      if (remote) rules.split_from_bytes = multi::CopyRules::never;
      return rules;
    };
    for (const auto& device : devices) {
      stores.push_back(std::make_unique<multi::RankStore>(device->device(), rules_for));
    }
  }

  [[nodiscard]] RankDevice& of_rank(int rank) const {
    return *devices.at(remote ? 0 : static_cast<std::size_t>(rank));
  }

  /// What each rank does of a call, on a thread for each.
  using RankWork = std::function<MultiResult(std::size_t rank, RankDevice& device, multi::RankStore&,
                                             multi::Communicator&)>;

  std::vector<MultiResult> on_each(const RankWork& work) {
    const std::lock_guard lock(calls);
    return remote ? on_own(work) : on_all(work);
  }

  /// Of several processes the rank of this one.
  std::vector<MultiResult> on_own(const RankWork& work) {
    remote->begin_call();
    std::vector<MultiResult> results(1);
    in_context(0, [&] { results[0] = work(0, *devices[0], *stores[0], *remote); });
    return results;
  }

  std::vector<MultiResult> on_all(const RankWork& work) {
    const std::size_t count = devices.size();
    multi::LocalRanks meeting(static_cast<int>(count), time_limit, reads_directly);
    std::vector<MultiResult> results(count);
    std::vector<std::exception_ptr> failures(count);
    threads.run([&](std::size_t rank) {  // never throws: each rank must come
      const auto communicator = meeting.communicator(static_cast<int>(rank), devices[rank]->device());
      try {
        in_context(rank, [&] { results[rank] = work(rank, *devices[rank], *stores[rank], *communicator); });
      } catch (...) {
        failures[rank] = std::current_exception();
      }
    });
    if (const auto rank = meeting.ended_by()) {
      std::rethrow_exception(failures[static_cast<std::size_t>(*rank)]);
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    return results;
  }

  void in_context(std::size_t rank, const std::function<void()>& work) const {
    devices[rank]->device().for_other_thread(work)();
  }

  std::vector<std::shared_ptr<RankDevice>> devices;  ///< by rank
  std::chrono::milliseconds time_limit;
  bool reads_directly;  ///< each device reaches the memory of all
  multi::MergeTunings tunings;
  std::vector<std::unique_ptr<multi::RankStore>> stores;  ///< by rank
  std::optional<multi::RemoteRanks> remote;               ///< instead of ranks of this process alone
  multi::RankThreads threads;
  std::mutex calls;  ///< one at a time
};

MultiSorter::MultiSorter(MultiOptions options) : implementation_(std::make_unique<Implementation>(options)) {}
MultiSorter::~MultiSorter() = default;
MultiSorter::MultiSorter(MultiSorter&&) noexcept = default;
MultiSorter& MultiSorter::operator=(MultiSorter&&) noexcept = default;

int MultiSorter::ranks() const noexcept {
  const auto& remote = implementation_->remote;
  return remote ? remote->size() : static_cast<int>(implementation_->devices.size());
}

int MultiSorter::first_rank() const noexcept {
  const auto& remote = implementation_->remote;
  return remote ? remote->rank() : 0;
}

std::vector<MultiResult> MultiSorter::run(const SortSpec& spec, const std::vector<MultiPart>& parts) {
  const std::size_t count = implementation_->devices.size();
  if (parts.size() != count) {
    throw Error(ErrorCode::usage, fmt::format("{} parts were given for {} ranks", parts.size(), count));
  }
  return implementation_->on_each(
      [&](std::size_t rank, RankDevice& device, multi::RankStore& store, multi::Communicator& communicator) {
        return multi::run_rank(device, store, communicator, spec, parts[rank]);
      });
}

std::uint64_t MultiSorter::sum(std::uint64_t number) {
  std::uint64_t total = number;
  if (implementation_->remote) {
    static_cast<void>(implementation_->on_each(
        [&](std::size_t, RankDevice&, multi::RankStore&, multi::Communicator& communicator) {
          const auto all = multi::all_gather(communicator, number);
          total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
          return MultiResult{};
        }));
  }
  return total;
}

std::vector<MultiResult> MultiSorter::run_host(const Problem& problem, const Operands& operands) {
  if (implementation_->remote) {
    throw Error(ErrorCode::usage,
                "an array of the host's memory is sorted over the devices of one process: over several, each "
                "rank brings its part to its device");
  }
  check_operands(problem, operands);
  if (problem.kind() != ShapeKind::array) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is not done over several devices: they sort one array", text_of(problem)));
  }
  return implementation_->on_each(
      [&](std::size_t, RankDevice& device, multi::RankStore& store, multi::Communicator& communicator) {
        return multi::run_host_rank(device, store, communicator, problem, operands);
      });
}

std::uint64_t MultiSorter::workspace_size(const SortSpec& spec, std::uint64_t n, std::uint64_t result,
                                          int rank) {
  RankDevice& device = implementation_->of_rank(rank);
  // What the caller gives is not read by other ranks: their pieces are copied.
  constexpr bool reads_directly = false;
  return multi::plan_rank(device.engine(), spec, ranks(), n, multi::most_received(spec, ranks(), result),
                          reads_directly)
      .bytes;
}

std::uint64_t MultiSorter::equal_part_of(std::uint64_t n, int rank) const noexcept {
  return multi::equal_part_of(n, static_cast<std::uint64_t>(ranks()), static_cast<std::uint64_t>(rank));
}

std::string MultiSorter::device(int rank) const { return implementation_->of_rank(rank).device().describe(); }

}  // namespace bitune
