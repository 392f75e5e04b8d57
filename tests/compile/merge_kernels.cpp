// NVRTC, no GPU: what merges the runs that a rank received, and what splits keys before they are sorted,
// keeps all that it holds in registers, and leaves a multiprocessor to many threads.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "multi/run_merge.hpp"
#include "multi/split/split_plan.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

TEST(MergeKernels, OfTwoRunsDoNotSpill) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  std::set<KernelSource> kernels;  // what cuts runs is the same whatever travels
  for (const KeyType key : {KeyType::u8, KeyType::u32, KeyType::f32, KeyType::f64}) {
    for (const std::uint32_t carried : {0, 4, 16}) {
      const SortSpec spec{.key = key, .order = Order::descending};
      for (const KernelSource& kernel : multi::RunMerge(spec, carried).kernels()) kernels.insert(kernel);
      if (key != KeyType::f32) continue;  // whose codec is the longest of those with halves
      const multi::RunMerge by_halves(spec, carried, {}, true);
      for (const KernelSource& kernel : by_halves.kernels()) kernels.insert(kernel);
    }
  }
  for (const KernelSource& kernel : kernels) {
    const KernelImage image = compiled_without_spills(*compiler, kernel);
    EXPECT_LE(image.registers, 64) << kernel.name_expression;
  }
}

TEST(MergeKernels, ThatSplitDoNotSpill) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  struct Case {
    KeyType key;
    std::uint32_t carried;
    std::size_t ranks;
  };
  std::set<KernelSource> kernels;  // some are the same whatever the keys are
  for (const auto& [key, carried, ranks] : {Case{KeyType::u32, 0, 2}, Case{KeyType::f32, 4, 2},
                                            Case{KeyType::i16, 16, 3}, Case{KeyType::f32, 8, 4}}) {
    Problem problem{{.operation = carried != 0 ? Operation::sort_pairs : Operation::sort,
                     .key = key,
                     .value_bytes = carried,
                     .order = Order::descending,
                     .stable = carried != 0},
                    {.n = 1 << 27}};
    multi::SplitPlan plan;
    plan.bytes_of_item = {size_of(key), carried};
    plan.radix.emplace(problem, Configuration{}, device);
    plan.name_kernels(problem, ranks, device);
    for (const KernelSource& kernel : plan.kernels()) kernels.insert(kernel);
  }
  for (const KernelSource& kernel : kernels) {
    const KernelImage image = compiled_without_spills(*compiler, kernel);
    EXPECT_GT(image.registers, 0) << kernel.name_expression;
  }
}

}  // namespace
}  // namespace bitune::test
