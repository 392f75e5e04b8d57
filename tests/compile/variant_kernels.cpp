// NVRTC, no GPU: a sample of each variant's configurations compiles without local memory for every
// architecture.

#include <gtest/gtest.h>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

class VariantKernels : public ::testing::TestWithParam<int> {};

/// Limits that every GPU from sm_75 on has.
DeviceInfo common_limits(int architecture) {
  DeviceInfo device;
  device.compute_major = architecture / 10;
  device.compute_minor = architecture % 10;
  device.sm_count = 40;
  device.max_threads_per_sm = 1024;
  device.max_blocks_per_sm = 16;
  device.shared_bytes_per_block_optin = 65536;
  return device;
}

/// All kernels of a plan of up to three; else the first and the last: the sort of a tile, and the longest of
/// the passes that follow it, or the merge.
std::vector<KernelSource> sample_kernels(const Plan& plan) {
  if (plan.kernels.size() <= 3) return plan.kernels;
  return {plan.kernels.front(), plan.kernels.back()};
}

TEST_P(VariantKernels, SampleCompilesWithoutSpills) {
  const int architecture = GetParam();
  const DeviceInfo device = common_limits(architecture);
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  std::uint64_t seed = static_cast<std::uint64_t>(architecture);
  for (const Variant* variant : variants()) {
    // Words of 32 and of 64 bits in turn, over the architectures.
    KeyType key = ++seed % 2 == 0 ? KeyType::f32 : KeyType::i64;
    if (!variant->supports({.key = key, .n = 1000}, device)) key = KeyType::f16;
    Problem problem{Operation::sort, key, ValueType::none, Order::ascending, 100000, 1};
    if (!variant->supports(problem, device)) problem.n = 1000;
    for (const Configuration& configuration : sample_configurations(*variant, problem, device, 1, seed)) {
      for (const KernelSource& kernel : sample_kernels(variant->plan(problem, configuration, device))) {
        const KernelImage image = compiler->compile(kernel);
        EXPECT_FALSE(image.bytes.empty());
        EXPECT_EQ(image.local_bytes, 0) << kernel.name_expression << " for " << image.target << "\n"
                                        << image.log;
        EXPECT_GT(image.registers, 0) << kernel.name_expression;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, VariantKernels, ::testing::ValuesIn(cuda::nvrtc_architectures()));

}  // namespace
}  // namespace bitune::test
