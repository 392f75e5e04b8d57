#pragma once

/// \file
/// Refuses launches that a driver would refuse.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/device_info.hpp"
#include "model/plan.hpp"

namespace bitune::emulated {

/// Shared memory that the system keeps of each resident block, as GPUs of compute capability 8.0 and later
/// do.
inline constexpr std::int64_t reserved_shared_bytes = 1024;

/// Refuses arguments that are not what the kernel's parameters are (EmulatedKernel::signature). A launch that
/// does not say what its `count` arguments are is checked for their number alone. \throws Error (device)
void check_arguments(std::string_view kernel, std::string_view signature, const Launch& launch,
                     std::size_t count);

/// \throws Error (device) naming the kernel, the limit, and what was asked for.
void check_launch(const DeviceInfo& device, std::string_view kernel, const Launch& launch);

}  // namespace bitune::emulated
