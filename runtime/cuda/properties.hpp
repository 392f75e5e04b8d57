#pragma once

/// \file
/// What the driver knows of a GPU.

#include <string>

#include "model/device_info.hpp"
#include "runtime/cuda/driver.hpp"

namespace bitune::cuda {

/// Facts of the GPU, read from its attributes. \throws Error (device)
[[nodiscard]] DeviceInfo read_device_info(const Driver& driver, int ordinal);

/// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi shows it. \throws Error (device)
[[nodiscard]] std::string read_uuid(const Driver& driver, int ordinal);

/// The text form of a UUID's bytes.
[[nodiscard]] std::string uuid_text(const CUuuid& uuid);

/// "NVIDIA H200 (sm_90, GPU 0)"
[[nodiscard]] std::string description_of(const DeviceInfo& info, int ordinal);

}  // namespace bitune::cuda
