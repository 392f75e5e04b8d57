#include "runtime/cuda/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "bitune/error.hpp"

namespace bitune::cuda {
namespace {

constexpr int lowest_version = 12000;

std::string version_text(int version) {
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

/// libcuda.so.580.95.05 names the release of the driver it belongs to.
std::string release_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  constexpr std::string_view prefix = "libcuda.so.";
  if (!name.starts_with(prefix) || name.find('.', prefix.size()) == std::string::npos) return {};
  return name.substr(prefix.size());
}

Driver open_driver() {
  std::string problem;
  Driver found;
  found.library = Library::open("libcuda.so.1", &problem);
  if (!found.library.is_open()) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format(
            "there is no CUDA driver ({}): install NVIDIA's driver, or start the container with GPU support",
            problem));
  }
  std::vector<std::string> missing;
#define BITUNE_RESOLVE(function) resolve(found.library, BITUNE_SYMBOL(function), found.function, missing);
  BITUNE_DRIVER_FUNCTIONS(BITUNE_RESOLVE)
#undef BITUNE_RESOLVE
  resolve(found.library, "cuEventElapsedTime", found.event_elapsed_time, missing);
  std::vector<std::string> absent_before_12_4;
  resolve(found.library, "cuFuncLoad", found.function_load, absent_before_12_4);

  if (found.cuDriverGetVersion != nullptr) found.cuDriverGetVersion(&found.version);
  if (found.version < lowest_version || !missing.empty()) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format("the CUDA driver {} ({}) is too old for bitune{}{}: install a driver of {} or newer",
                    found.library.path(), version_text(found.version), missing.empty() ? "" : ", it has no ",
                    fmt::join(missing, ", "), version_text(lowest_version)));
  }
  found.release = release_of(found.library.path());

  if (const CUresult result = found.cuInit(0); result != CUDA_SUCCESS) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format(
            "the CUDA driver {} does not start: cuInit failed with {}; see whether nvidia-smi lists a GPU",
            found.library.path(), found.describe(result)));
  }
  if (const CUresult result = found.cuDeviceGetCount(&found.device_count); result != CUDA_SUCCESS) {
    throw Error(ErrorCode::unavailable,
                fmt::format("cuDeviceGetCount failed with {}", found.describe(result)));
  }
  return found;
}

}  // namespace

std::string Driver::cuda_version() const { return version_text(version); }

std::string Driver::text() const {
  return release.empty() ? cuda_version() : fmt::format("{} ({})", release, cuda_version());
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* words = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &words);
  if (name == nullptr) return fmt::format("CUDA error {}", static_cast<int>(result));
  return words == nullptr ? std::string(name) : fmt::format("{} ({})", name, words);
}

const Driver& driver() {
  // Never destroyed: buffers and kernels with static lifetime are released through it.
  static const Driver& found = *new Driver(open_driver());
  return found;
}

const Driver* driver_if_present(std::string* problem) {
  try {
    return &driver();
  } catch (const Error& error) {
    if (problem != nullptr) *problem = error.what();
    return nullptr;
  }
}

bool is_sticky(CUresult result) noexcept {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

}  // namespace bitune::cuda
