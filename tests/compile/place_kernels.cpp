// NVRTC, no GPU: what sorts rows with values and indices by default on an H200 keeps all that it holds in
// registers.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "model/key_type.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

class PlaceKernels : public ::testing::TestWithParam<KeyType> {};

TEST_P(PlaceKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const Variant& family = variant("rows_by_place");
  std::set<KernelSource> kernels;
  const auto add = [&](Problem problem) {
    const Configuration c = family.default_configuration(problem, device);
    EXPECT_EQ(family.space(problem, device).violation(c, problem, device), std::nullopt) << c.text();
    for (const KernelSource& kernel : family.plan(problem, c, device).kernels) kernels.insert(kernel);
  };
  const std::uint64_t longest = size_of(GetParam()) == 8 ? 8192 : 16384;
  for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{1024}, longest}) {
    for (const std::uint64_t rows : {1, 1024}) {
      const Problem rows_of_n{{.key = GetParam()}, {.n = n, .rows = rows}};
      Problem argsort = rows_of_n;
      argsort.operation = Operation::argsort;
      argsort.index_bytes = 4;
      add(argsort);
      Problem pairs = rows_of_n;
      pairs.operation = Operation::sort_pairs;
      pairs.value_bytes = n == 16384 ? 4 : 16;
      add(pairs);
    }
  }
  for (const KernelSource& kernel : kernels) {
    const KernelImage image = compiler->compile(kernel);
    EXPECT_EQ(image.local_bytes, 0) << kernel.name_expression << "\n" << image.log;
  }
}

/// Floating point has the most to compute. Words of 32 and 64 bits, and two planes.
INSTANTIATE_TEST_SUITE_P(All, PlaceKernels, ::testing::Values(KeyType::bf16, KeyType::f32, KeyType::f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace bitune::test
