// NVRTC, no GPU: what sorts segments by default on an H200 keeps all that it holds in registers.

#include <gtest/gtest.h>

#include <string_view>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

TEST(LongSegmentKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const Variant& family = variant("segments_radix");
  // Floating point has the most to compute, and more than 2^30 keys need the longest counters.
  const auto compile = [&](const SortSpec& spec, std::uint64_t keys) {
    const Problem problem{spec, {.n = keys, .rows = 256, .ragged = true}};
    const Configuration c = family.default_configuration(problem, device);
    EXPECT_EQ(family.space(problem, device).violation(c, problem, device), std::nullopt) << c.text();
    compiled_without_spills(*compiler, family.plan(problem, c, device).kernels.back());
  };
  compile({.key = KeyType::f32}, 1 << 26);
  compile({.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 1}, 1ull << 31);
  compile({.operation = Operation::sort_pairs, .key = KeyType::f64, .value_bytes = 16}, 1 << 26);
  compile({.operation = Operation::argsort, .key = KeyType::f64, .index_bytes = 4}, 1 << 26);
}

/// What warps sort, and what blocks do: a key with its place has most to hold.
TEST(SegmentKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const Variant& family = variant("segments");
  const auto compile = [&](const SortSpec& spec, std::string_view name, std::uint64_t segments = 4000) {
    const Problem problem{spec, {.n = 1 << 20, .rows = segments, .ragged = true}};
    const Plan plan = family.plan(problem, family.default_configuration(problem, device), device);
    bool found = false;
    for (const KernelSource& kernel : plan.kernels) {
      if (kernel.short_name() != name) continue;
      compiled_without_spills(*compiler, kernel);
      found = true;
    }
    EXPECT_TRUE(found) << "no kernel is called " << name;
  };
  const SortSpec indices{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4};
  compile(indices, "short_pair_segments");
  compile(indices, "digit_segments");
  compile(indices, "block_pair_segments", 40'000);  // lists of shorter ones
  compile({.operation = Operation::argsort, .key = KeyType::u16, .index_bytes = 4}, "digit_segments");
  compile({.key = KeyType::f64}, "short_segments");
  compile({.key = KeyType::f64}, "block_segments");
  compile({.operation = Operation::argsort, .key = KeyType::f64, .index_bytes = 4}, "block_pair_segments");
  compile({.operation = Operation::sort_pairs, .key = KeyType::f64, .value_bytes = 16},
          "short_pair_segments");
}

/// Of a few segments: the longest that a cluster holds, of what has most to hold.
TEST(DirectSegmentKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const Variant& family = variant("direct_segments");
  const SortSpec indices{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4};
  const Problem problem{indices, {.n = 1 << 18, .rows = 32, .ragged = true}};
  const Configuration c = family.default_configuration(problem, device);
  EXPECT_EQ(family.space(problem, device).violation(c, problem, device), std::nullopt) << c.text();
  for (const KernelSource& kernel : family.plan(problem, c, device).kernels) {
    if (kernel.header.find("direct") == std::string::npos) continue;  // those of long segments: above
    compiled_without_spills(*compiler, kernel);
  }
}

}  // namespace
}  // namespace bitune::test
