// NVRTC, no GPU: what merges the runs that a rank received keeps all that it holds in registers, and leaves a
// multiprocessor to many threads.

#include <gtest/gtest.h>

#include <cstdint>

#include "multi/run_merge.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

TEST(MergeKernels, OfTwoRunsDoNotSpill) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  for (const KeyType key : {KeyType::u8, KeyType::u32, KeyType::f32, KeyType::f64}) {
    for (const std::uint32_t carried : {0, 4, 16}) {
      const SortSpec spec{.key = key, .order = Order::descending};
      for (const KernelSource& kernel : multi::RunMerge(spec, carried).kernels()) {
        const KernelImage image = compiled_without_spills(*compiler, kernel);
        EXPECT_LE(image.registers, 64) << kernel.name_expression;
      }
    }
  }
}

}  // namespace
}  // namespace bitune::test
