#include <fmt/format.h>

#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/cuda_device.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/device.hpp"
#include "runtime/device_choice.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "runtime/emulated/host_compiler.hpp"

namespace bitune {
namespace {

/// Runs `look`, and turns what is missing into a sentence.
template <class Look>
void note_problems(DeviceReport& report, Look look) {
  try {
    look();
  } catch (const Error& error) {
    report.problems.emplace_back(error.what());
  }
}

void find_gpus(DeviceReport& report) {
  const cuda::DriverInfo driver = cuda::driver_info();
  report.driver_library = driver.path;
  report.driver_version = driver.cuda_version;
  const std::string compiler = report.nvrtc_version.empty() ? "" : "nvrtc " + report.nvrtc_version;
  for (cuda::GpuEntry& gpu : cuda::list_gpus(compiler)) {
    report.devices.push_back({std::to_string(gpu.ordinal), std::move(gpu.info), std::move(gpu.software)});
  }
}

void find_nvrtc(DeviceReport& report) {
  const cuda::NvrtcInfo nvrtc = cuda::nvrtc_info();
  report.nvrtc_library = nvrtc.path;
  report.nvrtc_version = nvrtc.version;
}

void find_emulated(DeviceReport& report) {
  report.host_compiler = emulated::describe_host_compiler();
  if (report.host_compiler.empty()) report.problems.push_back(emulated::host_compiler_problem());
  const std::shared_ptr<Device> device = make_emulated_device();
  report.devices.push_back({"emulated", device->info(), device->software()});
}

DeviceInventory take_inventory() {
  DeviceInventory inventory;
  try {
    for (cuda::GpuEntry& gpu : cuda::list_gpus("")) inventory.gpus.push_back(std::move(gpu.software.uuid));
    inventory.current_gpu = cuda::current_gpu();
    if (inventory.gpus.empty()) inventory.why_no_gpu = "the CUDA driver lists no GPU";
  } catch (const Error& error) {
    inventory.why_no_gpu = error.what();
  }
  return inventory;
}

}  // namespace

DeviceReport find_devices() {
  DeviceReport report;
  note_problems(report, [&] { find_nvrtc(report); });
  note_problems(report, [&] { find_gpus(report); });
  note_problems(report, [&] { find_emulated(report); });
  return report;
}

std::shared_ptr<Device> open_device(const std::string& selector, std::string* reason,
                                    const std::shared_ptr<KernelCache>& cache) {
  DeviceChoice choice;  // the emulated device, which needs no look at what else there is
  if (selector != "emulated") choice = choose_device(selector, take_inventory());
  if (reason != nullptr) *reason = choice.reason;
  if (!choice.is_emulated()) return cuda::make_cuda_device(choice.gpu, cache);
  if (const std::string problem = emulated::host_compiler_problem(); !problem.empty()) {
    throw Error(ErrorCode::unavailable,
                choice.reason.empty() ? problem : fmt::format("{}; and {}", choice.reason, problem));
  }
  return make_emulated_device();
}

}  // namespace bitune
