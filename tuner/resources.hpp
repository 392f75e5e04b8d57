#pragma once

/// \file
/// Whether a plan's kernels fit a device, before anything is launched.

#include <memory>
#include <string>
#include <vector>

#include "model/device_info.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// What a plan uses at the most, and the first thing that is too much.
struct ResourceCheck {
  TrialStatus status = TrialStatus::ok;  ///< or spilled, or over_limit
  std::string message;                   ///< which kernel, which limit; empty if ok
  int registers = 0;
  int local_bytes = 0;
  std::int64_t shared_bytes = 0;
};

/// `resources` are those of plan.kernels, in their order. A pure function.
[[nodiscard]] ResourceCheck check_resources(const Plan& plan, const std::vector<KernelResources>& resources,
                                            const DeviceInfo& device);

}  // namespace bitune
