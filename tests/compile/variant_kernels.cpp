// NVRTC, no GPU: for every architecture, a kernel of a sampled configuration of each second variant compiles
// without local memory, and its name tells how many arguments it takes.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/cuda/kernel_name.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/compile/without_spills.hpp"
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
  device.max_cluster_size = architecture >= 90 ? 8 : 1;
  return device;
}

/// All kernels of a plan of up to three; else the first and the last: the sort of a tile, and the longest of
/// the passes that follow it, or the merge.
std::vector<KernelSource> sample_kernels(const Plan& plan) {
  if (plan.kernels.size() <= 3) return plan.kernels;
  return {plan.kernels.front(), plan.kernels.back()};
}

/// What a thread unrolls: the network of its own keys, or of its part of a block's candidates and of its
/// samples, once for each vector that it reads.
std::int64_t keys_a_thread(const Configuration& configuration) {
  const auto value = [&](const char* name, std::int64_t without) {
    const auto found = configuration.parameters.find(name);
    return found == configuration.parameters.end() ? without : found->second;
  };
  const std::int64_t network =
      std::max(std::max(value("items_per_thread", 1), value("finish_items", 1)),
               value("candidates", 0) / value("block_size_x", 256) + value("samples_per_thread", 0));
  return network * value("vectors_per_thread", 1);
}

/// Keys alone, the first of keys with their indices, segments of keys, or the first of these.
Problem problem_of(const Variant& variant, const DeviceInfo& device, KeyType key, std::uint64_t n) {
  const Problem keys{{.key = key}, {.n = n}};
  const Problem top_k{{.operation = Operation::top_k, .key = key, .index_bytes = 4, .k = n / 500}, {.n = n}};
  const Problem segments{{.key = key}, {.n = n, .rows = n / 100, .ragged = true}};
  Problem first_of_segments = segments;
  first_of_segments.operation = Operation::top_k;
  first_of_segments.k = top_k.k;
  if (variant.supports(segments, device)) return segments;
  if (variant.supports(first_of_segments, device)) return first_of_segments;
  return variant.supports(top_k, device) ? top_k : keys;
}

/// The longer one first.
constexpr std::uint64_t lengths[] = {100000, 1000};

/// Whether the variant can do a problem of keys of that type on the device.
bool is_for(const Variant& variant, KeyType key, const DeviceInfo& device) {
  return std::any_of(std::begin(lengths), std::end(lengths), [&](std::uint64_t n) {
    return variant.supports(problem_of(variant, device, key, n), device);
  });
}

/// The longer of two problems that the variant has configurations for, and of two or sixteen of them the one
/// with the fewest keys a thread. Nothing where the device is not for the variant.
std::optional<std::pair<Problem, Configuration>> drawn(const Variant& variant, KeyType key,
                                                       const DeviceInfo& device, bool large,
                                                       std::uint64_t seed) {
  for (const std::uint64_t n : lengths) {
    const Problem problem = problem_of(variant, device, key, n);
    if (!variant.supports(problem, device)) continue;
    const auto sample = sample_configurations(variant, problem, device, large ? 2 : 16, seed);
    const auto fewest = std::min_element(
        sample.begin(), sample.end(),
        [](const Configuration& a, const Configuration& b) { return keys_a_thread(a) < keys_a_thread(b); });
    if (fewest != sample.end()) return {{problem, *fewest}};
  }
  return std::nullopt;
}

TEST_P(VariantKernels, SampleCompilesWithoutSpills) {
  const int architecture = GetParam();
  const DeviceInfo device = common_limits(architecture);
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  // Every variant is compiled for every third architecture of the older two thirds, or of the newer two
  // thirds (BITUNE_TEST_ALL: of all). Over them take turns: words of 32 and of 64 bits, and the kernels of a
  // plan (every second turn where there are two), each of which is met with both.
  const std::vector<int> all = cuda::nvrtc_architectures();
  const auto index = static_cast<std::size_t>(std::find(all.begin(), all.end(), architecture) - all.begin());
  // A kernel that unrolls a network of many keys takes as long as twenty others: a variant may draw it on
  // two architectures that follow each other.
  constexpr std::size_t neighbours = 2;
  const std::size_t groups = std::max<std::size_t>(1, all.size() / neighbours);
  for (const Variant* variant : variants()) {
    // Of the name, so that what is drawn stays as it is where other variants come and go.
    const std::string_view name = variant->name();
    const std::size_t first = std::accumulate(name.begin(), name.end(), std::size_t{0});
    if ((first + index) % 3 != 0) continue;
    const bool is_for_newer = first / 2 % 2 != 0;
    const bool is_its_part = is_for_newer ? index >= all.size() / 3 : index < 2 * all.size() / 3;
    const std::size_t turn = (first + index) / 3;
    // What chooses the first keys takes half of the time, and only two turns: with either words and kernel.
    const bool has_all = problem_of(*variant, device, KeyType::i64, lengths[1]).operation != Operation::top_k;
    const bool has_its_turn = has_all || turn % 4 == 0 || turn % 4 == 3;
    if (!(is_its_part && has_its_turn) && !tests_all()) continue;
    const std::uint64_t seed = first + 2 * static_cast<std::size_t>(architecture);
    KeyType key = turn % 2 == 0 ? KeyType::f32 : KeyType::i64;
    if (!is_for(*variant, key, device)) key = KeyType::f16;
    const bool large = index / neighbours % groups == first % groups;
    const auto found = drawn(*variant, key, device, large, seed);
    EXPECT_EQ(found.has_value(), is_for(*variant, key, device)) << variant->name();
    if (!found) continue;  // there are no clusters before sm_90
    const auto& [problem, configuration] = *found;
    const Plan plan = variant->plan(problem, configuration, device);
    const auto kernels = sample_kernels(plan);
    const KernelSource& kernel = kernels[(kernels.size() == 2 ? turn / 2 : turn) % kernels.size()];
    const KernelImage image = compiled_without_spills(*compiler, kernel);
    EXPECT_FALSE(image.bytes.empty());
    EXPECT_GT(image.registers, 0) << kernel.name_expression;
    const auto parameters = cuda::parameters_of(cuda::demangled(image.lowered_name));
    for (const Launch& launch : plan.launches) {
      if (plan.kernels[launch.kernel] != kernel) continue;
      EXPECT_EQ(parameters, launch.arguments.size()) << image.lowered_name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, VariantKernels, ::testing::ValuesIn(cuda::nvrtc_architectures()));

}  // namespace
}  // namespace bitune::test
