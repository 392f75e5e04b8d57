#include "runtime/cuda/peer.hpp"

#include <fmt/format.h>

namespace bitune::cuda {
namespace {

CUdeviceptr device_address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// Lets the current context read the other GPU's memory, if their link can. The driver knows at once whether
/// it is so already. Returns whether it can now.
bool reach(Context& gpu, Context& other) {
  const Driver& driver = gpu.driver();
  int can = 0;
  gpu.check(driver.cuDeviceCanAccessPeer(&can, gpu.device(), other.device()), "cuDeviceCanAccessPeer");
  if (can == 0) return false;
  const CUresult result = driver.cuCtxEnablePeerAccess(other.primary(), 0);
  if (result == CUDA_ERROR_TOO_MANY_PEERS) return false;
  if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) gpu.check(result, "cuCtxEnablePeerAccess");
  return true;
}

}  // namespace

void copy_from_peer(Context& to_gpu, void* to, Context& from_gpu, const void* from, std::size_t bytes,
                    CUstream stream) {
  if (bytes == 0) return;
  const Driver& driver = to_gpu.driver();
  const ContextScope scope(to_gpu);
  if (to_gpu.device() == from_gpu.device()) {
    to_gpu.check(driver.cuMemcpyDtoDAsync(device_address(to), device_address(from), bytes, stream),
                 "cuMemcpyDtoDAsync");
    return;
  }
  static_cast<void>(reach(to_gpu, from_gpu));
  CUcontext current = nullptr;
  to_gpu.check(driver.cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  to_gpu.check(driver.cuMemcpyPeerAsync(device_address(to), current, device_address(from), from_gpu.primary(),
                                        bytes, stream),
               "cuMemcpyPeerAsync", fmt::format("{} bytes from {}", bytes, from_gpu.description()));
}

bool reaches(Context& gpu, Context& other) {
  if (gpu.device() == other.device()) return true;
  const ContextScope scope(gpu, Wanted::primary);
  return reach(gpu, other);
}

std::string_view link_between(Context& gpu, Context& other) {
  if (gpu.device() == other.device()) return "itself";
  if (!reaches(gpu, other)) return "host";
  int has_atomics = 0;  // what NVLink has, and PCIe has not
  gpu.check(gpu.driver().cuDeviceGetP2PAttribute(
                &has_atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, gpu.device(), other.device()),
            "cuDeviceGetP2PAttribute");
  return has_atomics != 0 ? "nvlink" : "pcie";
}

}  // namespace bitune::cuda
