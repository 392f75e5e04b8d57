#include "runtime/cuda/properties.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"

namespace bitune::cuda {
namespace {

void check(const Driver& driver, CUresult result, const char* function, int ordinal) {
  if (result == CUDA_SUCCESS) return;
  throw Error(ErrorCode::device,
              fmt::format("{} failed for GPU {}: {}", function, ordinal, driver.describe(result)));
}

CUdevice device_of(const Driver& driver, int ordinal) {
  CUdevice device = 0;
  check(driver, driver.cuDeviceGet(&device, ordinal), "cuDeviceGet", ordinal);
  return device;
}

}  // namespace

DeviceInfo read_device_info(const Driver& driver, int ordinal) {
  const CUdevice device = device_of(driver, ordinal);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    check(driver, driver.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute", ordinal);
    return value;
  };
  std::array<char, 256> name{};
  check(driver, driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
        "cuDeviceGetName", ordinal);
  std::size_t memory = 0;
  check(driver, driver.cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem", ordinal);

  DeviceInfo info;
  info.kind = "cuda";
  info.name = name.data();
  info.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.shared_bytes_per_block_optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_bytes_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.memory_bytes = static_cast<std::int64_t>(memory);
  info.cooperative_launch = attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  const bool clusters = info.compute_major >= 9 && attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
  info.max_cluster_size = clusters ? 8 : 1;  // 8 is the size that every GPU with clusters must launch
  // Two transfers a clock, as all memory of GPUs makes.
  const std::int64_t clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const std::int64_t bus_bytes = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  info.memory_gb_per_s = static_cast<int>(2 * clock_khz * bus_bytes / 1'000'000);
  return info;
}

std::string read_uuid(const Driver& driver, int ordinal) {
  CUuuid uuid{};
  check(driver, driver.cuDeviceGetUuid(&uuid, device_of(driver, ordinal)), "cuDeviceGetUuid", ordinal);
  return uuid_text(uuid);
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string description_of(const DeviceInfo& info, int ordinal) {
  return fmt::format("{} (sm_{}, GPU {})", info.name, info.compute_capability(), ordinal);
}

}  // namespace bitune::cuda
