// NVRTC, no GPU: what gives the first keys by default on an H200 keeps all that it holds in registers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

struct Case {
  std::string_view variant;
  KeyType key;
  std::uint64_t k;
  Shape shape;
  std::string_view kernel = {};  ///< of a plan that has several
};

// Each kernel once, with what takes most registers: floating point, which has the most to compute, keys of 64
// bits, which are the largest, and those of 16 bits, whose places go with them. Bins and minima of numbers
// of 64 bits, and of many candidates, take two and three times as long to compile as any other
// (BITUNE_TEST_ALL).
const KeyType longest = tests_all() ? KeyType::f64 : KeyType::f32;
const Case cases[] = {
    {"select_rows", KeyType::f64, 8, {.n = 128, .rows = 65536}},
    {"lane_lists", KeyType::f64, 8, {.n = 128, .rows = 65536}},
    {"lane_lists", KeyType::f32, 8, {.n = 256, .rows = 65536}},
    {"lane_lists", KeyType::f32, 16, {.n = 1000, .rows = 64}},
    {"lane_lists", KeyType::bf16, 8, {.n = 100, .rows = 65536}},
    {"select_rows", KeyType::f16, 100, {.n = 1000, .rows = 1000}},
    {"select_rows", KeyType::bf16, 64, {.n = 4096, .rows = 16384}},
    // What one warp sorts of the minima of many threads, and what a block does, beside the keys of each.
    {"select_rows", KeyType::u16, 64, {.n = 6000}},
    {"select_rows", KeyType::f32, 64, {.n = 6000}},
    {"select_rows", KeyType::u32, 1, {.n = 4096}},
    {"select_rows", KeyType::u32, 256, {.n = 2048}},
    {"select_rows", KeyType::f32, 1024, {.n = 4096, .rows = 1000}},
    {"select_rows", KeyType::f32, 8, {.n = 16384, .rows = 1000}},
    {"select_cluster", KeyType::f64, 64, {.n = 32768, .rows = 64}},
    {"bin_cluster", KeyType::f32, 2048, {.n = 131072}},
    {"bin_cluster", longest, 1024, {.n = 32768, .rows = 64}},
    {"digit_rows", KeyType::f64, 1000, {.n = 4096, .rows = 1000}},
    {"digit_rows", KeyType::f32, 1024, {.n = 4096, .rows = 4096}},
    {"digit_rows", KeyType::bf16, 8000, {.n = 24000, .rows = 200}},
    {"persistent_rows", KeyType::f64, 64, {.n = 16384, .rows = 1000}},
    {"persistent_rows", KeyType::f32, 64, {.n = 32768, .rows = 4096}},
    {"persistent_rows", KeyType::u32, 200, {.n = 20000, .rows = 256}},
    {"persistent_rows", KeyType::f32, 32, {.n = 1024, .rows = 65536}},
    {"bin_rows", longest, 50, {.n = 131072, .rows = 256}},
    {"bin_rows", KeyType::u16, 300, {.n = 10000}},
    {"minima_rows", longest, 50, {.n = 131072, .rows = 256}},
    {"select_array", KeyType::f32, 100, {.n = 1 << 20}, "select_candidates"},
    {"select_rows", KeyType::f32, 32, {.n = 1024, .rows = 65536}},
    {"copied_rows", KeyType::bf16, 64, {.n = 4096, .rows = 16384}},
    {"copied_rows", KeyType::f64, 8, {.n = 1000, .rows = 1000}},
    {"bucket_rows", KeyType::f32, 100000, {.n = 1 << 24}, "sample_buckets_of_first"},
    {"bucket_rows", KeyType::f32, 1 << 15, {.n = 1 << 17, .rows = 256}, "sort_buckets"},
    {"bin_rows", KeyType::f32, 2048, {.n = 4096, .rows = 4096}},
    {"filter_array", KeyType::f64, 10000, {.n = 1 << 20}, "filter_array"},
    {"filter_segments", KeyType::f32, 8, {.n = 32768, .rows = 100, .ragged = true}},
    {"segments_topk", KeyType::f64, 50, {.n = 65536, .rows = 1000, .ragged = true}, "short_pair_segments"}};

const Case long_cases[] = {{"bin_rows", KeyType::f64, 1, {.n = 65536, .rows = 1000}},
                           {"minima_rows", KeyType::f32, 2048, {.n = 1 << 15, .rows = 256}},
                           {"bucket_rows", KeyType::f64, 2048, {.n = 1 << 17}, "sort_buckets"}};

std::vector<Case> asked_cases() {
  std::vector<Case> all(std::begin(cases), std::end(cases));
  if (tests_all()) all.insert(all.end(), std::begin(long_cases), std::end(long_cases));
  return all;
}

class TopKKernels : public ::testing::TestWithParam<Case> {};

TEST_P(TopKKernels, DoNotSpillByDefault) {
  const Case& of = GetParam();
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  const Problem problem{
      {.operation = Operation::top_k, .key = of.key, .index_bytes = 4, .order = Order::descending, .k = of.k},
      of.shape};
  const Variant& family = variant(of.variant);
  ASSERT_TRUE(family.supports(problem, device));
  const Plan plan = family.plan(problem, family.default_configuration(problem, device), device);
  const auto kernel = std::find_if(plan.kernels.begin(), plan.kernels.end(), [&](const KernelSource& source) {
    return of.kernel.empty() || source.short_name() == of.kernel;
  });
  ASSERT_NE(kernel, plan.kernels.end());
  compiled_without_spills(*compiler, *kernel);
}

INSTANTIATE_TEST_SUITE_P(All, TopKKernels, ::testing::ValuesIn(asked_cases()), [](const auto& info) {
  return std::string(info.param.variant) + "_" + std::string(name_of(info.param.key)) + "_" +
         std::to_string(info.param.shape.n);
});

}  // namespace
}  // namespace bitune::test
