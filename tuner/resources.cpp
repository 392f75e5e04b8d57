#include "tuner/resources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitune {
namespace {

/// Registers of a block as the hardware allots them: 8 a thread and 256 a warp at a time (every GPU since
/// sm_50).
std::int64_t registers_of_block(const KernelResources& resources, std::uint32_t threads,
                                const DeviceInfo& device) {
  const std::int64_t warp_size = std::max(device.warp_size, 1);
  const std::int64_t warps = (static_cast<std::int64_t>(threads) + warp_size - 1) / warp_size;
  return warps * warp_size * ((resources.registers + 7) / 8 * 8);
}

/// What is too much in one launch; empty if nothing is.
std::string excess(const Launch& launch, const KernelResources& resources, const DeviceInfo& device) {
  const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const int most = std::min(resources.max_threads_per_block, device.max_threads_per_block);
  if (threads > static_cast<std::uint32_t>(most)) {
    return fmt::format("blocks of {} threads where {} are the most", threads, most);
  }
  if (const auto registers = registers_of_block(resources, threads, device);
      registers > device.registers_per_block) {
    return fmt::format("{} registers a block where {} are the most", registers, device.registers_per_block);
  }
  const std::int64_t shared = resources.static_shared_bytes + launch.shared_bytes;
  if (shared > device.shared_bytes_per_block_optin) {
    return fmt::format("{} bytes of shared memory a block where {} are the most", shared,
                       device.shared_bytes_per_block_optin);
  }
  if (launch.cluster > 1 && launch.cluster > static_cast<std::uint32_t>(device.largest_cluster_size())) {
    return fmt::format("clusters of {} blocks where {} are the most", launch.cluster,
                       device.largest_cluster_size());
  }
  return {};
}

}  // namespace

ResourceCheck check_resources(const Plan& plan, const std::vector<KernelResources>& resources,
                              const DeviceInfo& device) {
  ResourceCheck check;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    check.registers = std::max(check.registers, resources[i].registers);
    check.local_bytes = std::max(check.local_bytes, resources[i].local_bytes);
    if (resources[i].local_bytes > 0 && check.status == TrialStatus::ok) {
      check.status = TrialStatus::spilled;
      check.message = fmt::format("kernel '{}' keeps {} bytes a thread in local memory",
                                  plan.kernels[i].name_expression, resources[i].local_bytes);
    }
  }
  for (const Launch& launch : plan.launches) {
    const KernelResources& used = resources[launch.kernel];
    check.shared_bytes = std::max(check.shared_bytes, used.static_shared_bytes + launch.shared_bytes);
    if (check.status != TrialStatus::ok) continue;
    if (const std::string text = excess(launch, used, device); !text.empty()) {
      check.status = TrialStatus::over_limit;
      check.message = fmt::format("kernel '{}' needs {}", plan.kernels[launch.kernel].name_expression, text);
    }
  }
  return check;
}

}  // namespace bitune
