#include "tuner/devices_session.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace bitune {

std::vector<DeviceResult> tune_devices(const TuneRequest& request, const std::vector<DeviceJob>& jobs,
                                       const std::function<void(const DevicesProgress&)>& progress) {
  std::map<std::string, std::size_t> equal;
  for (const DeviceJob& job : jobs) ++equal[job.digest];
  std::map<std::string, ProblemQueue> queues;
  for (const auto& [digest, count] : equal) {
    queues.try_emplace(digest, request.problems, count, request.budget_evaluations);
  }

  std::mutex reporting;
  const auto report = [&](std::size_t device, const TuneProgress& of_device) {
    if (!progress) return;
    DevicesProgress now{.device = device, .progress = &of_device};
    for (const auto& [digest, queue] : queues) {
      now.problems_done += queue.done();
      now.problems_count += queue.problems().size();
    }
    const std::scoped_lock lock(reporting);
    progress(now);
  };

  std::vector<DeviceResult> results(jobs.size());
  const auto run = [&](std::size_t i) {
    DeviceResult& result = results[i];
    result.device = jobs[i].device;
    try {
      jobs[i].run(queues.at(jobs[i].digest),
                  {[&report, i](const TuneProgress& of_device) { report(i, of_device); },
                   [&result](TuneOutcome outcome) { result.outcomes.push_back(std::move(outcome)); }});
    } catch (const std::exception& error) {
      result.error = error.what();
      result.failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < jobs.size(); ++i) threads.emplace_back(run, i);
  }
  return results;
}

DeviceJob make_device_job(const TuneRequest& request, const std::shared_ptr<Device>& device,
                          const DevicesOptions& options, const std::atomic<bool>& stop) {
  return {device->describe(), device->info().digest(),
          [&request, device, options, &stop](ProblemQueue& problems, const SessionReports& reports) {
            TuningDatabase database(options.database, DatabaseMode::read_write);
            const auto cache = std::make_shared<KernelCache>(options.kernel_cache);
            const auto kernels = std::make_shared<KernelStore>(device, cache);
            const auto evaluator =
                options.worker_program.empty()
                    ? make_local_evaluator(device, kernels)
                    : make_worker_evaluator({options.worker_program, device->software().uuid,
                                             options.kernel_cache.string(), options.timeout_seconds,
                                             options.timeout_for_all});
            const auto source = make_variant_source(request.variants, device->info(), *kernels);
            tune_share(request, problems, *source, device->info(), device->software(), *evaluator, database,
                       reports, stop);
            database.require_in_place();
          }};
}

}  // namespace bitune
