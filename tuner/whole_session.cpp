#include "tuner/whole_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <thread>

#include "bitune/error.hpp"
#include "tuner/tune_merging.hpp"

namespace bitune {

std::vector<std::shared_ptr<Device>> open_devices(std::span<const std::string> selectors,
                                                  std::string_view option) {
  std::vector<std::shared_ptr<Device>> devices;
  std::set<std::string> uuids;
  for (const std::string& selector : selectors) {
    devices.push_back(open_device(selector));
    const Device& device = *devices.back();
    // The emulated device is as good twice; a GPU that two measure at once is measured wrongly by both.
    if (device.info().kind == "cuda" && !uuids.insert(device.software().uuid).second) {
      throw Error(ErrorCode::usage, fmt::format("{} names the {} twice", option, device.describe()));
    }
  }
  return devices;
}

WholeSession run_session(TuneRequest request, const std::vector<std::shared_ptr<Device>>& devices,
                         const DevicesOptions& options, const std::atomic<bool>& stop,
                         const std::function<void(const DevicesProgress&)>& progress) {
  if (devices.size() > 1) {
    const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
    request.compile_threads = std::max(static_cast<int>(threads / devices.size()), 1);
  }
  // Refused before any work.
  for (const auto& device : devices) static_cast<void>(device->compiler().identity());
  static_cast<void>(TuningDatabase(options.database, DatabaseMode::read_write));
  std::vector<DeviceJob> jobs;
  jobs.reserve(devices.size());
  for (const auto& device : devices) jobs.push_back(make_device_job(request, device, options, stop));

  WholeSession session;
  const auto begin = std::chrono::steady_clock::now();
  session.results = tune_devices(request, jobs, progress);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (session.results.size() == 1 && session.results.front().failure) {
    std::rethrow_exception(session.results.front().failure);
  }
  session.outcomes = outcomes_of(session.results);
  session.summary = {devices_text(session.results), options.database, elapsed.count(), stop.load(),
                     device_shares(session.results)};
  if (devices.size() > 1 && !stop && !failure_of(session.results, session.outcomes)) {
    session.summary.merging = tune_merging(devices, options.database, stop);
  }
  return session;
}

}  // namespace bitune
