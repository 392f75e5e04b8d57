#include "tuner/tune_merging.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "bitune/multi.hpp"
#include "cache/tuning_database.hpp"
#include "measure/spread_array.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/timestamp.hpp"
#include "multi/merge_tunings.hpp"

namespace bitune {
namespace {

constexpr int samples_of_each = 7;
constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr SortSpec spec{.key = KeyType::u32};

/// What a rank merges, in bytes; of which all of it, with what sorting takes, fits every device.
std::vector<std::uint64_t> sizes_for(const std::vector<const Device*>& devices) {
  if (devices[0]->info().kind != "cuda") return {4096, 16384};
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
  for (const Device* device : devices) room = std::min(room, device->free_memory());
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 32 * mib; bytes <= std::min(room / 8, 1024 * mib); bytes *= 2) {
    sizes.push_back(bytes);
  }
  return sizes;
}

std::vector<multi::CopyRules> ways_for(const std::vector<const Device*>& devices) {
  constexpr std::uint64_t never = multi::CopyRules::never;
  const multi::CopyRules read{.split_from_bytes = never, .halved_from_bytes = never, .from_bytes = never};
  std::vector<multi::CopyRules> ways = {read, read};
  ways.back().split_from_bytes = 0;
  if (devices.size() == 2) {
    ways.push_back(read);
    ways.back().halved_from_bytes = 0;
  }
  const bool is_gpu = devices[0]->info().kind == "cuda";
  for (const std::uint64_t chunk :
       is_gpu ? std::vector{16 * mib, 32 * mib, 64 * mib, 128 * mib} : std::vector{std::uint64_t{1024}}) {
    ways.push_back(read);
    ways.back().from_bytes = 0;
    ways.back().least_chunk_bytes = chunk;
  }
  return ways;
}

/// Sorts one array of so many bytes a rank, in one way.
class Measured {
 public:
  Measured(const std::vector<std::shared_ptr<Device>>& devices, const std::filesystem::path& database,
           const multi::CopyRules& rules)
      : sorter_(options_for(devices, database, rules)) {
    trial_.configuration = multi::configuration_of(rules);
    trial_.kernel_digest = multi::link_kernel_digest();
  }

  [[nodiscard]] Trial trial(std::span<const std::unique_ptr<DeviceParts>> devices, std::uint64_t bytes) {
    Trial trial = trial_;
    const std::vector<std::uint64_t> lengths(devices.size(), bytes / size_of(spec.key));
    trial.problem = {spec, {.n = lengths[0] * devices.size()}};
    const SpreadArray array(devices, spec, Distribution::random, lengths);
    std::vector<MultiPart> parts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      parts.push_back({.operands = array.operands(rank), .n = lengths[rank]});
    }
    for (int sample = 0; sample <= samples_of_each; ++sample) {
      double us = 0;
      for (const MultiResult& result : sorter_.run(spec, parts)) us = std::max(us, result.total_us);
      if (sample != 0) trial.samples_us.push_back(us);  // the first one takes memory
    }
    trial.message = array.fault();
    trial.status = trial.message.empty() ? TrialStatus::ok : TrialStatus::wrong_result;
    trial.timestamp = timestamp_now();
    return trial;
  }

 private:
  static MultiOptions options_for(const std::vector<std::shared_ptr<Device>>& devices,
                                  const std::filesystem::path& database, const multi::CopyRules& rules) {
    MultiOptions options;
    for (const auto& device : devices) options.devices.push_back(device->software().uuid);
    options.database = database.string();
    // Of an option 0 is what was tuned.
    options.copied_from_bytes = std::max<std::uint64_t>(rules.from_bytes, 1);
    options.least_chunk_bytes = rules.least_chunk_bytes;
    options.split_from_bytes = std::max<std::uint64_t>(rules.split_from_bytes, 1);
    options.halved_from_bytes = std::max<std::uint64_t>(rules.halved_from_bytes, 1);
    return options;
  }

  MultiSorter sorter_;
  Trial trial_;
};

}  // namespace

std::vector<MergeOutcome> tune_merging(const std::vector<std::shared_ptr<Device>>& devices,
                                       const std::filesystem::path& database, const std::atomic<bool>& stop) {
  std::vector<const Device*> group;
  std::vector<std::unique_ptr<DeviceParts>> parts;
  for (const auto& device : devices) {
    group.push_back(device.get());
    parts.push_back(std::make_unique<DeviceParts>(device));
  }
  const DeviceInfo facts = multi::facts_of_group(group);
  const bool is_one_kind = std::all_of(group.begin(), group.end(), [&](const Device* device) {
    return device->info().kind == group[0]->info().kind;
  });
  if (!is_one_kind || facts.name.ends_with(multi::unreached)) return {};
  TuningDatabase tunings(database, DatabaseMode::read_write);
  const Protocol protocol{.min_samples = samples_of_each, .max_samples = samples_of_each, .inputs = 1};
  const std::int64_t session = tunings.begin_session(facts, devices[0]->software(), protocol);
  std::map<std::uint64_t, MergeOutcome> best;
  for (const multi::CopyRules& rules : ways_for(group)) {
    Measured measured(devices, database, rules);
    for (const std::uint64_t bytes : sizes_for(group)) {
      if (stop) return {};
      const Trial trial = measured.trial(parts, bytes);
      tunings.store(session, trial);
      if (trial.status != TrialStatus::ok) throw Error(ErrorCode::verification, trial.message);
      const double us = trial.median_us().value_or(0);
      const auto [outcome, is_first] = best.try_emplace(bytes, MergeOutcome{bytes, {}, us, us});
      if (!is_first && us >= outcome->second.median_us) continue;
      outcome->second.configuration = trial.configuration.text();
      outcome->second.median_us = us;
    }
  }
  std::vector<MergeOutcome> outcomes;
  outcomes.reserve(best.size());
  for (const auto& [bytes, outcome] : best) outcomes.push_back(outcome);
  return outcomes;
}

}  // namespace bitune
