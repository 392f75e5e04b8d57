#pragma once

/// \file
/// A session on several devices at once.

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache/kernel_cache.hpp"
#include "tuner/problem_queue.hpp"
#include "tuner/session_engine.hpp"

namespace bitune {

/// One device of a session. `run` tunes what it takes from the queue, on a thread of its own, and throws if
/// the device fails.
struct DeviceJob {
  std::string device;  ///< for people
  std::string digest;  ///< of its facts: devices of equal facts share the problems out
  std::function<void(ProblemQueue& problems, const SessionReports& reports)> run;
};

/// What became of one device.
struct DeviceResult {
  std::string device;
  std::vector<TuneOutcome> outcomes;
  std::string error;           ///< why it failed; empty if it did not
  std::exception_ptr failure;  ///< the same as it was thrown
};

/// Where the session is. The progress is that of one device, which the index names.
struct DevicesProgress {
  std::size_t device = 0;
  std::size_t problems_done = 0;   ///< of all devices
  std::size_t problems_count = 0;  ///< of all devices
  const TuneProgress* progress = nullptr;
};

/// Runs all jobs. Devices of equal facts share the request's problems, and its evaluations, out among
/// themselves; each of the others tunes all problems. A device that fails ends only its own job: others
/// take over the problem that it had under way. `progress` is called from the devices' threads, one at a
/// time. Results are in the jobs' order.
[[nodiscard]] std::vector<DeviceResult> tune_devices(
    const TuneRequest& request, const std::vector<DeviceJob>& jobs,
    const std::function<void(const DevicesProgress&)>& progress);

/// How the devices of a session are used.
struct DevicesOptions {
  std::filesystem::path database;  ///< one for all; each device has a connection of its own
  std::filesystem::path kernel_cache;
  std::string worker_program;    ///< of worker processes; empty: in this process
  double timeout_seconds = 30;   ///< of one configuration
  bool timeout_for_all = false;  ///< as of WorkerOptions
};

/// The job of a device. `request` and `stop` must outlive it.
[[nodiscard]] DeviceJob make_device_job(const TuneRequest& request, const std::shared_ptr<Device>& device,
                                        const DevicesOptions& options, const std::atomic<bool>& stop);

}  // namespace bitune
