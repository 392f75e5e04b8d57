// NVRTC, no GPU: what multiway's search space allows to split with keeps all that it holds in registers.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

class SplittingKernels : public ::testing::TestWithParam<int> {};

/// The kernels that split, for keys of 4 and of 8 bytes, of all configurations that the device allows.
std::vector<KernelSource> splitting_kernels(const DeviceInfo& device) {
  const Variant& multiway = variant("multiway");
  std::vector<KernelSource> kernels;
  for (const KeyType key : {KeyType::u32, KeyType::u64}) {
    Problem problem;
    problem.key = key;
    problem.n = 1 << 20;
    const SearchSpace space = multiway.space(problem, device);
    Configuration configuration = multiway.default_configuration(problem, device);
    configuration.parameters["split_levels"] = 1;
    configuration.parameters["split_window"] = 0;
    for (const std::int64_t threads : {128, 256, 512}) {
      for (const std::int64_t pivots : {3, 5, 7}) {
        configuration.parameters["split_threads"] = threads;
        configuration.parameters["split_pivots"] = pivots;
        if (space.violation(configuration, problem, device)) continue;
        kernels.push_back(multiway.plan(problem, configuration, device).kernels.at(1));
      }
    }
  }
  return kernels;
}

TEST_P(SplittingKernels, DoNotSpill) {
  const int architecture = GetParam();
  DeviceInfo device = h200();
  device.compute_major = architecture / 10;
  device.compute_minor = architecture % 10;
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const std::vector<int> all = cuda::nvrtc_architectures();
  const auto index = static_cast<std::size_t>(std::find(all.begin(), all.end(), architecture) - all.begin());
  const std::vector<KernelSource> kernels = splitting_kernels(device);
  // An architecture compiles some of them, and others the rest.
  ASSERT_FALSE(kernels.empty());
  for (std::size_t i = index; i < kernels.size(); i += all.size()) {
    compiled_without_spills(*compiler, kernels[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, SplittingKernels, ::testing::ValuesIn(cuda::nvrtc_architectures()));

}  // namespace
}  // namespace bitune::test
