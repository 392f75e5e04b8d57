#include <gtest/gtest.h>

#include "bitune/error.hpp"
#include "runtime/cuda/cuda_device.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/properties.hpp"

namespace bitune::cuda {
namespace {

TEST(CudaDriver, IsMissingWithASentenceThatSaysWhatToDo) {
  std::string problem;
  if (driver_if_present(&problem) != nullptr) GTEST_SKIP() << "this machine has a CUDA driver";
  EXPECT_NE(problem.find("driver"), std::string::npos) << problem;
  EXPECT_EQ(current_gpu(), -1);
  for (const auto& use : {+[] { (void)driver_info(); }, +[] { (void)list_gpus("nvrtc"); },
                          +[] { (void)make_cuda_device(0); }}) {
    try {
      use();
      ADD_FAILURE() << "no error without a driver";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable);
      EXPECT_EQ(error.what(), problem);
    }
  }
}

TEST(CudaDriver, KnowsTheErrorsThatEndAContext) {
  EXPECT_TRUE(is_sticky(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(is_sticky(CUDA_ERROR_LAUNCH_TIMEOUT));
  EXPECT_TRUE(is_sticky(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_FALSE(is_sticky(CUDA_SUCCESS));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_INVALID_VALUE));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
}

TEST(CudaDriver, NamesItsReleaseAndItsCudaVersion) {
  Driver driver;
  driver.version = 12080;
  EXPECT_EQ(driver.text(), "CUDA 12.8");
  driver.release = "570.86.10";
  EXPECT_EQ(driver.text(), "570.86.10 (CUDA 12.8)");
}

TEST(CudaDriver, WritesAUuidAsNvidiaSmiDoes) {
  CUuuid uuid{};
  for (int i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<char>(i * 17);
  EXPECT_EQ(uuid_text(uuid), "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST(CudaDriver, DescribesAGpu) {
  DeviceInfo info;
  info.name = "NVIDIA H200";
  info.compute_major = 9;
  EXPECT_EQ(description_of(info, 3), "NVIDIA H200 (sm_90, GPU 3)");
}

}  // namespace
}  // namespace bitune::cuda
