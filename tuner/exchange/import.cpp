#include "tuner/exchange/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

// Names of a variant's parameters, which depend on neither problem nor device.
const std::set<std::string>& parameters_of(const std::string& name) {
  static const auto known = [] {
    std::map<std::string, std::set<std::string>> names;
    for (const Variant* family : variants()) {
      std::set<std::string>& of_family = names[std::string(family->name())];
      for (const Parameter& parameter : family->space({}, {}).parameters) of_family.insert(parameter.name);
    }
    return names;
  }();
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  static const std::set<std::string> none;
  return none;
}

// What is wrong with a configuration; empty if nothing is.
std::string flaw_of(const Configuration& configuration) {
  const std::set<std::string>& known = parameters_of(configuration.variant);
  if (known.empty()) return fmt::format("there is no variant '{}'", configuration.variant.substr(0, 40));
  for (const auto& [name, value] : configuration.parameters) {
    if (!known.contains(name)) {
      return fmt::format("variant '{}' has no parameter '{}'", configuration.variant, name.substr(0, 40));
    }
  }
  return {};
}

// Names stand in one cell of a table.
void check_names(const std::filesystem::path& path, const Recording& recording) {
  const DeviceSoftware& software = recording.software;
  for (const std::string* name :
       {&recording.device.name, &software.uuid, &software.driver, &software.compiler, &recording.source}) {
    if (name->size() <= 300 && name->find_first_of("\n\r\t") == std::string::npos) continue;
    throw Error(ErrorCode::input,
                fmt::format("'{}': the name of a device or its software is not one line; nothing "
                            "was imported",
                            path.string()));
  }
}

void check(const std::filesystem::path& path, const std::vector<Recording>& recordings) {
  std::size_t trials = 0;
  std::size_t rejected = 0;
  std::string first;
  for (const Recording& recording : recordings) {
    check_names(path, recording);
    for (const Trial& trial : recording.trials) {
      ++trials;
      const std::string flaw = flaw_of(trial.configuration);
      if (flaw.empty()) continue;
      if (++rejected == 1) first = fmt::format("trial {}: {}", trials, flaw);
    }
  }
  if (rejected == 0) return;
  throw Error(ErrorCode::input, fmt::format("'{}': {} of {} trials are rejected, {}; nothing was imported",
                                            path.string(), rejected, trials, first));
}

}  // namespace

ImportPlan plan_import(const std::vector<std::filesystem::path>& files,
                       const std::optional<DeviceInfo>& device) {
  ImportPlan plan;
  for (const auto& path : files) {
    std::vector<Recording> recordings = read_recordings(path);
    check(path, recordings);
    ImportedFile file{path, {}, {}, 0};
    for (Recording& recording : recordings) {
      if (!recording.has_device && device) recording.device = *device;
      file.source = recording.source;
      file.devices.push_back(recording.device.name);
      file.trials += recording.trials.size();
      plan.trials.push_back({recording.device, recording.software, recording.protocol, recording.source,
                             std::move(recording.trials)});
    }
    plan.files.push_back(std::move(file));
  }
  return plan;
}

}  // namespace bitune
