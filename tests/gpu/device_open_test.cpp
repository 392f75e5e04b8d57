// Finding and opening GPUs, and the kernel store on one of them.

#include <stdlib.h>

#include <filesystem>

#include "runtime/kernel_store.hpp"
#include "tests/gpu/device_fixture.hpp"

namespace bitune::cuda {
namespace {

class GpuOpen : public GpuTest {};

TEST_F(GpuOpen, ListsGpusBeforeTheEmulatedDevice) {
  const DeviceReport report = find_devices();
  ASSERT_EQ(report.devices.size(), static_cast<std::size_t>(driver().device_count) + 1);
  EXPECT_EQ(report.devices.front().selector, "0");
  EXPECT_EQ(report.devices.front().info, device_->info());
  EXPECT_EQ(report.devices.front().software, device_->software());
  EXPECT_FALSE(report.driver_library.empty());
  EXPECT_FALSE(report.nvrtc_library.empty());
}

TEST_F(GpuOpen, OpensByIndexUuidAndItsBeginning) {
  const std::string uuid = device_->software().uuid;
  EXPECT_EQ(open_device("0")->software().uuid, uuid);
  EXPECT_EQ(open_device(uuid)->software().uuid, uuid);
  EXPECT_EQ(open_device(uuid.substr(0, 20))->software().uuid, uuid);
  std::string reason;
  EXPECT_EQ(open_device("auto", &reason)->software().uuid, uuid);
  EXPECT_NE(reason.find(uuid), std::string::npos) << reason;
  EXPECT_THROW((void)open_device(std::to_string(driver().device_count)), Error);
}

TEST_F(GpuOpen, AutoTakesTheGpuWhoseContextIsCurrent) {
  const int last = driver().device_count - 1;
  CUcontext primary = nullptr;
  ASSERT_EQ(driver().cuDevicePrimaryCtxRetain(&primary, last), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxPushCurrent(primary), CUDA_SUCCESS);
  std::string reason;
  EXPECT_EQ(open_device("auto", &reason)->software().uuid,
            open_device(std::to_string(last))->software().uuid);
  EXPECT_NE(reason.find("context is current"), std::string::npos) << reason;
  CUcontext popped = nullptr;
  EXPECT_EQ(driver().cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease(last), CUDA_SUCCESS);
}

TEST_F(GpuOpen, KeepsKernelsInMemoryAndCacheAndHealsTheCache) {
  // A kernel of the library itself, since the store compiles with the device's own compiler.
  const KernelSource source{"kernels/measure/compare.cuh", "bitune::compare_words<bitune::u32, 256>"};
  KernelImage image = device_->compiler().compile(source);
  std::string pattern = (std::filesystem::temp_directory_path() / "bitune-gpu-store-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto cache = std::make_shared<KernelCache>(folder);
  EXPECT_EQ(KernelStore(device_, cache).get(source).origin, KernelOrigin::compiled);
  EXPECT_EQ(KernelStore(device_, cache).get(source).origin, KernelOrigin::cache);
  image.bytes = "not a kernel";
  cache->store(device_->compiler().digest(source), image);
  KernelStore store(device_, cache);
  EXPECT_EQ(store.get(source).origin, KernelOrigin::compiled);
  EXPECT_EQ(store.get(source).origin, KernelOrigin::memory);
  EXPECT_EQ(KernelStore(device_, cache).get(source).origin, KernelOrigin::cache);
  std::filesystem::remove_all(folder);
}

TEST_F(GpuOpen, IsTheSameWhereTheCacheKnowsTheCompiler) {
  std::string pattern = (std::filesystem::temp_directory_path() / "bitune-open-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto cache = std::make_shared<KernelCache>(folder);
  const KernelSource source{"kernels/x.cuh", "x"};
  const auto opened = open_device("0");
  for (int i = 0; i < 2; ++i) {
    const auto known = open_device("0", nullptr, cache);
    EXPECT_EQ(known->software(), opened->software());
    EXPECT_EQ(known->compiler().identity(), opened->compiler().identity());
    EXPECT_EQ(known->compiler().digest(source), opened->compiler().digest(source));
    EXPECT_EQ(cache->statistics().files, 1u) << "a note";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace bitune::cuda
