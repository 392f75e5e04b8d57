#pragma once

/// \file
/// CUDA GPUs as devices.

#include <memory>
#include <string>
#include <vector>

#include "cache/kernel_cache.hpp"
#include "runtime/device.hpp"

namespace bitune::cuda {

/// The driver as it was found.
struct DriverInfo {
  std::string path;          ///< of libcuda
  std::string cuda_version;  ///< "CUDA 13.0"
  int device_count = 0;
};
/// \throws Error (unavailable) that says what is missing and what to do
[[nodiscard]] DriverInfo driver_info();

/// One GPU, without opening it.
struct GpuEntry {
  int ordinal = 0;
  DeviceInfo info;
  DeviceSoftware software;
};
/// All GPUs that the driver lists; `compiler` is put into each entry's software. \throws Error (unavailable,
/// device)
[[nodiscard]] std::vector<GpuEntry> list_gpus(const std::string& compiler);

/// The ordinal of the GPU whose context is current on this thread; -1 if there is none. Never throws for a
/// missing driver.
[[nodiscard]] int current_gpu();

/// Opens a GPU by its ordinal. It takes no context before it is used, and looks for NVRTC only when a kernel
/// is neither in memory nor shipped. Where the cache, which may be null, knows of NVRTC what has to be known
/// of it, that is opened only to compile. \throws Error (unavailable) if there is no driver or no such GPU
[[nodiscard]] std::shared_ptr<Device> make_cuda_device(int ordinal,
                                                       const std::shared_ptr<KernelCache>& cache = nullptr);

}  // namespace bitune::cuda
