#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "bitune/error.hpp"
#include "cache/tuning_database.hpp"
#include "runtime/variant.hpp"
#include "tuner/exchange/recordings.hpp"
#include "tuner/replay.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

bool is_database(const fs::path& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, magic.size()> head{};
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == magic;
}

bool is_timed(const Trial& trial) {
  return (trial.status == TrialStatus::ok || trial.status == TrialStatus::unverified) && trial.median_us();
}

/// Whether `a` counts rather than `b`, of the same configuration.
bool counts_before(const Trial& a, const Trial& b) {
  // Of other kernels than the newest are none to count in the end.
  if (a.kernel_digest != b.kernel_digest) return a.timestamp > b.timestamp;
  return std::tuple(!a.finalist, std::string_view(a.timestamp)) >
         std::tuple(!b.finalist, std::string_view(b.timestamp));
}

/// Trials of one problem as they are gathered.
struct GatheredSpace {
  DeviceInfo device;
  bool has_device = false;
  Protocol protocol;
  std::map<std::string, Trial> trials;  ///< by configuration

  /// Leaves of each variant only what its newest kernels did.
  void drop_older_kernels() {
    std::map<std::string_view, const Trial*> newest;
    for (const auto& [text, trial] : trials) {
      const Trial*& known = newest[trial.configuration.variant];
      if (known == nullptr || known->timestamp < trial.timestamp) known = &trial;
    }
    std::map<std::string, std::string> digests;
    for (const auto& [variant, trial] : newest) digests.emplace(variant, trial->kernel_digest);
    std::erase_if(trials, [&digests](const auto& entry) {
      return entry.second.kernel_digest != digests.at(entry.second.configuration.variant);
    });
  }
};

/// Problem, device, protocol: what a space is of.
using Key = std::tuple<Problem, std::string, std::string>;

class Gatherer {
 public:
  void add(const DeviceInfo& device, bool has_device, const Protocol& protocol, Trial trial) {
    GatheredSpace& space =
        spaces_[{trial.problem, has_device ? device.digest() : device.name, protocol.text()}];
    space.device = device;
    space.has_device = has_device;
    space.protocol = protocol;
    const auto [entry, added] = space.trials.try_emplace(trial.configuration.text(), trial);
    if (!added && counts_before(trial, entry->second)) entry->second = std::move(trial);
  }

  void add_file(const fs::path& path) {
    if (is_database(path)) {
      const TuningDatabase database(path, DatabaseMode::read_only);
      std::map<std::string, DeviceInfo> devices;
      for (DeviceRow& row : database.devices()) devices.emplace(row.info.digest(), std::move(row.info));
      for (TrialRow& row : database.trials({})) {
        add(devices.at(row.device_digest), true, row.protocol, std::move(row.trial));
      }
      return;
    }
    for (Recording& recording : read_recordings(path)) {
      for (Trial& trial : recording.trials) {
        add(recording.device, recording.has_device, recording.protocol, std::move(trial));
      }
    }
  }

  std::vector<RecordedSpace> take() {
    std::vector<RecordedSpace> spaces;
    for (auto& [key, gathered] : spaces_) {
      gathered.drop_older_kernels();
      if (std::any_of(gathered.trials.begin(), gathered.trials.end(),
                      [](const auto& entry) { return is_timed(entry.second); })) {
        spaces.push_back(space_of(std::move(gathered)));
      }
    }
    return spaces;
  }

 private:
  static RecordedSpace space_of(GatheredSpace gathered) {
    RecordedSpace space;
    space.device = gathered.device.name;
    space.protocol = gathered.protocol;
    space.problem = gathered.trials.begin()->second.problem;
    space.best_us = std::numeric_limits<double>::infinity();
    std::map<std::string, std::size_t> index_of;
    for (auto& [text, trial] : gathered.trials) {
      index_of.emplace(text, space.trials.size());
      if (is_timed(trial)) {
        space.best_us = std::min(space.best_us, *trial.median_us());
      } else {
        trial.samples_us.clear();
      }
      space.domain.configurations.push_back(trial.configuration);
      space.trials.push_back(std::move(trial));
    }
    if (gathered.has_device) add_starts(space, gathered.device, index_of);
    return space;
  }

  /// The defaults of today's variants, less the parameters that are not on record.
  static void add_starts(RecordedSpace& space, const DeviceInfo& device,
                         const std::map<std::string, std::size_t>& index_of) {
    for (Configuration& start : defaults_of(variants(), space.problem, device)) {
      const auto recorded =
          std::find_if(space.domain.configurations.begin(), space.domain.configurations.end(),
                       [&](const Configuration& c) { return c.variant == start.variant; });
      if (recorded == space.domain.configurations.end()) continue;
      for (auto parameter = start.parameters.begin(); parameter != start.parameters.end();) {
        const bool is_on_record = recorded->parameters.contains(parameter->first);
        parameter = is_on_record ? std::next(parameter) : start.parameters.erase(parameter);
      }
      if (const auto found = index_of.find(start.text()); found != index_of.end()) {
        space.domain.starts.push_back(found->second);
      }
    }
  }

  std::map<Key, GatheredSpace> spaces_;
};

}  // namespace

std::vector<RecordedSpace> read_recorded_spaces(const std::vector<fs::path>& paths) {
  Gatherer gatherer;
  for (const fs::path& path : paths) gatherer.add_file(path);
  return gatherer.take();
}

}  // namespace bitune
