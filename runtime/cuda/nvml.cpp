#include "runtime/cuda/nvml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "runtime/cuda/library.hpp"

namespace bitune::cuda {
namespace {

// NVML's interface as its reference manual has it ("NVML API Reference Guide"): part of the driver, and
// stable. Its header comes with few of the packages that bring CUDA's, so what is used of it is declared
// here.
using Result = int;  // nvmlReturn_t
struct DeviceTag;
using Handle = DeviceTag*;  // nvmlDevice_t

constexpr Result success = 0;
constexpr int sm_clock = 1;  // NVML_CLOCK_SM

// nvmlClocksEventReason*, nvmlClocksThrottleReason* in older headers. Left out: idle (0x1), clocks that an
// application (0x2) or a display (0x100) asked for.
constexpr std::array<std::pair<unsigned long long, ThrottleReason>, 6> reasons = {{{0x4, sw_power_cap},
                                                                                   {0x8, hw_slowdown},
                                                                                   {0x10, sync_boost},
                                                                                   {0x20, sw_thermal},
                                                                                   {0x40, hw_thermal},
                                                                                   {0x80, hw_power_brake}}};

std::uint32_t reasons_of(unsigned long long bits) {
  std::uint32_t found = 0;
  for (const auto& [bit, reason] : reasons) {
    if ((bits & bit) != 0) found |= reason;
  }
  return found;
}

}  // namespace

struct NvmlGpu::Implementation {
  Library library;
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*handle_by_uuid)(const char*, Handle*) = nullptr;
  Result (*clock_info)(Handle, int, unsigned*) = nullptr;
  Result (*throttle_reasons)(Handle, unsigned long long*) = nullptr;
  const char* (*error_string)(Result) = nullptr;
  Handle gpu = nullptr;
  bool initialised = false;

  ~Implementation() {
    if (initialised) shutdown();
  }
};

NvmlGpu::NvmlGpu(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
NvmlGpu::~NvmlGpu() = default;

std::unique_ptr<NvmlGpu> NvmlGpu::open(const std::string& library, const std::string& uuid,
                                       std::string* problem) {
  const auto refuse = [problem](std::string why) {
    if (problem != nullptr) *problem = std::move(why);
    return nullptr;
  };
  auto nvml = std::make_unique<Implementation>();
  std::string words;
  nvml->library = Library::open(library, &words);
  if (!nvml->library.is_open()) return refuse(words);
  std::vector<std::string> missing;
  resolve(nvml->library, "nvmlInit_v2", nvml->init, missing);
  resolve(nvml->library, "nvmlShutdown", nvml->shutdown, missing);
  resolve(nvml->library, "nvmlDeviceGetHandleByUUID", nvml->handle_by_uuid, missing);
  resolve(nvml->library, "nvmlDeviceGetClockInfo", nvml->clock_info, missing);
  // The older of its two names: drivers have kept it.
  resolve(nvml->library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml->throttle_reasons, missing);
  resolve(nvml->library, "nvmlErrorString", nvml->error_string, missing);
  if (!missing.empty()) {
    return refuse(fmt::format("'{}' lacks {}", nvml->library.path(), fmt::join(missing, ", ")));
  }
  Result result = nvml->init();
  nvml->initialised = result == success;
  if (result == success) result = nvml->handle_by_uuid(uuid.c_str(), &nvml->gpu);
  if (result != success) {
    return refuse(
        fmt::format("'{}' does not know {}: {}", nvml->library.path(), uuid, nvml->error_string(result)));
  }
  return std::unique_ptr<NvmlGpu>(new NvmlGpu(std::move(nvml)));
}

std::optional<ClockReading> NvmlGpu::read_clock() const {
  unsigned mhz = 0;
  if (implementation_->clock_info(implementation_->gpu, sm_clock, &mhz) != success || mhz == 0) {
    return std::nullopt;
  }
  // Some GPUs tell their clock and not what holds it down.
  unsigned long long bits = 0;
  if (implementation_->throttle_reasons(implementation_->gpu, &bits) != success) bits = 0;
  return ClockReading{static_cast<int>(mhz), reasons_of(bits)};
}

}  // namespace bitune::cuda
