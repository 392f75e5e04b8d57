#include "runtime/kernel_limits.hpp"

#include <gtest/gtest.h>

#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

TEST(KernelLimits, NamesTheFirstThatIsTooMuch) {
  const DeviceInfo device = test::h200();
  const KernelResources kernel{
      .registers = 65, .local_bytes = 0, .static_shared_bytes = 1000, .max_threads_per_block = 512};
  Launch launch;
  launch.block = {512, 1, 1};
  launch.shared_bytes = 1000;
  EXPECT_EQ(excess_of(launch, kernel, device), "");
  launch.cluster = 17;
  EXPECT_EQ(excess_of(launch, kernel, device), "clusters of 17 blocks where 16 are the most");
  launch.shared_bytes = 231449;
  EXPECT_EQ(excess_of(launch, kernel, device),
            "232449 bytes of shared memory a block where 232448 are the most");
  launch.block = {1024, 1, 1};
  EXPECT_EQ(excess_of(launch, kernel, device), "blocks of 1024 threads where 512 are the most");
  KernelResources many = kernel;
  many.max_threads_per_block = 1024;
  EXPECT_EQ(excess_of(launch, many, device), "73728 registers a block where 65536 are the most")
      << "a thread of 65 registers is given 72";
}

}  // namespace
}  // namespace bitune
