#pragma once

/// \file
/// What a kernel and its launch may take of a device, in words.

#include <string>
#include <string_view>

#include "model/device_info.hpp"
#include "model/plan.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// The first thing that the launch needs more of than a block of this kernel can have there: "blocks of 129
/// threads where 128 are the most". Empty if nothing is too much. A pure function.
[[nodiscard]] std::string excess_of(const Launch& launch, const KernelResources& kernel,
                                    const DeviceInfo& device);

/// The sentence on a kernel whose registers do not hold all that a thread works with.
[[nodiscard]] std::string spill_text(std::string_view kernel, int local_bytes);

}  // namespace bitune
