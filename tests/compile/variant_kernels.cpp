// NVRTC, no GPU: for every architecture, a kernel of a sampled configuration of each variant compiles without
// local memory.

#include <gtest/gtest.h>

#include <algorithm>

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
  device.max_cluster_size = architecture >= 90 ? 8 : 0;
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
  // Every variant is compiled for every architecture, and over the architectures take turns: words of 32 and
  // of 64 bits, and the kernels of a plan, each of which is met with both.
  auto seed = static_cast<std::uint64_t>(architecture);
  const std::vector<int> all = cuda::nvrtc_architectures();
  auto turn = static_cast<std::size_t>(std::find(all.begin(), all.end(), architecture) - all.begin());
  for (const Variant* variant : variants()) {
    ++turn;
    KeyType key = ++seed % 2 == 0 ? KeyType::f32 : KeyType::i64;
    if (!variant->supports({.key = key, .n = 1000}, device)) key = KeyType::f16;
    Problem problem{Operation::sort, key, ValueType::none, Order::ascending, 100000, 1};
    if (!variant->supports(problem, device)) problem.n = 1000;
    for (const Configuration& configuration : sample_configurations(*variant, problem, device, 1, seed)) {
      const auto kernels = sample_kernels(variant->plan(problem, configuration, device));
      const KernelSource& kernel = kernels[turn / 2 % kernels.size()];
      const KernelImage image = compiler->compile(kernel);
      EXPECT_FALSE(image.bytes.empty());
      EXPECT_EQ(image.local_bytes, 0) << kernel.name_expression << " for " << image.target << "\n"
                                      << image.log;
      EXPECT_GT(image.registers, 0) << kernel.name_expression;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, VariantKernels, ::testing::ValuesIn(cuda::nvrtc_architectures()));

}  // namespace
}  // namespace bitune::test
