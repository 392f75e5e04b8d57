// NVRTC, no GPU: what sorts keys with their places by default on an H200 keeps all that it holds in
// registers.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>

#include "model/key_type.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

class PlaceKernels : public ::testing::TestWithParam<KeyType> {};

TEST_P(PlaceKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  std::set<KernelSource> kernels;
  const auto add = [&](std::string_view name, const Problem& problem) {
    const Variant& family = variant(name);
    const Configuration c = family.default_configuration(problem, device);
    EXPECT_EQ(family.space(problem, device).violation(c, problem, device), std::nullopt) << c.text();
    for (const KernelSource& kernel : family.plan(problem, c, device).kernels) kernels.insert(kernel);
  };
  const bool is_wide = size_of(GetParam()) == 8;
  Problem pairs{{.operation = Operation::sort_pairs, .key = GetParam(), .value_bytes = is_wide ? 16u : 4u},
                {.n = is_wide ? 8192u : 16384u, .rows = 1024}};
  Problem argsort{{.operation = Operation::argsort, .key = GetParam(), .index_bytes = 4},
                  {.n = 100, .rows = 1024}};
  add("rows_by_place", pairs);
  add("rows_by_place", argsort);
  // A key of 16 bits has another form only where its place has no more: in rows and clusters.
  if (size_of(GetParam()) != 2) {
    if (!is_wide) {
      pairs.n = 32768;
      add("rows_by_digits", pairs);
    }
    pairs.n = 100000;
    add("merge_by_place", pairs);
    if (!is_wide) {
      pairs.rows = 1;
      add("multiway_by_place", pairs);
    }
  }
  argsort.n = 10000;
  argsort.rows = 1;
  add("cluster_by_place", argsort);
  add("cluster_by_digits", argsort);
  for (const KernelSource& kernel : kernels) {
    compiled_without_spills(*compiler, kernel);
  }
}

/// Floating point has the most to compute. Words of 32 and 64 bits, and two of them.
INSTANTIATE_TEST_SUITE_P(All, PlaceKernels, ::testing::Values(KeyType::bf16, KeyType::f32, KeyType::f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace bitune::test
