#include "tuner/resources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/kernel_limits.hpp"

namespace bitune {
ResourceCheck check_resources(const Plan& plan, const std::vector<KernelResources>& resources,
                              const DeviceInfo& device) {
  ResourceCheck check;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    check.registers = std::max(check.registers, resources[i].registers);
    check.local_bytes = std::max(check.local_bytes, resources[i].local_bytes);
    if (resources[i].local_bytes > 0 && check.status == TrialStatus::ok) {
      check.status = TrialStatus::spilled;
      check.message = spill_text(plan.kernels[i].short_name(), resources[i].local_bytes);
    }
  }
  for (const Launch& launch : plan.launches) {
    const KernelResources& used = resources[launch.kernel];
    check.shared_bytes = std::max(check.shared_bytes, used.static_shared_bytes + launch.shared_bytes);
    if (check.status != TrialStatus::ok) continue;
    if (const std::string text = excess_of(launch, used, device); !text.empty()) {
      check.status = TrialStatus::over_limit;
      check.message = fmt::format("kernel '{}' needs {}", plan.kernels[launch.kernel].short_name(), text);
    }
  }
  return check;
}

}  // namespace bitune
