#include "runtime/kernel_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitune {
namespace {

/// Registers of a block as the hardware allots them: 8 a thread and 256 a warp at a time (every GPU since
/// sm_50).
std::int64_t registers_of_block(const KernelResources& kernel, std::uint64_t threads,
                                const DeviceInfo& device) {
  const std::int64_t warp_size = std::max(device.warp_size, 1);
  const std::int64_t warps = (static_cast<std::int64_t>(threads) + warp_size - 1) / warp_size;
  return warps * warp_size * ((kernel.registers + 7) / 8 * 8);
}

}  // namespace

std::string excess_of(const Launch& launch, const KernelResources& kernel, const DeviceInfo& device) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const int most = std::min(kernel.max_threads_per_block, device.max_threads_per_block);
  if (threads > static_cast<std::uint64_t>(most)) {
    return fmt::format("blocks of {} threads where {} are the most", threads, most);
  }
  if (const auto registers = registers_of_block(kernel, threads, device);
      registers > device.registers_per_block) {
    return fmt::format("{} registers a block where {} are the most", registers, device.registers_per_block);
  }
  const std::int64_t shared = kernel.static_shared_bytes + launch.shared_bytes;
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

std::string spill_text(std::string_view kernel, int local_bytes) {
  return fmt::format("kernel '{}' keeps {} bytes a thread in local memory", kernel, local_bytes);
}

}  // namespace bitune
