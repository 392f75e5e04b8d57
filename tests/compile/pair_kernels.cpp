// NVRTC, no GPU: what carries values and indices by default on an H200 keeps all that it holds in registers.

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

/// The kernels of the first and the last pass, with some parameters changed: those between do less.
std::set<KernelSource> pass_kernels(const Problem& problem,
                                    const std::map<std::string, std::int64_t>& changes = {}) {
  const Variant& family = variant("radix_pairs");
  Configuration c = family.default_configuration(problem, h200());
  for (const auto& [parameter, value] : changes) c.parameters.at(parameter) = value;
  EXPECT_EQ(family.space(problem, h200()).violation(c, problem, h200()), std::nullopt) << c.text();
  const Plan plan = family.plan(problem, c, h200());
  constexpr std::size_t clear_and_count = 2;
  return {plan.kernels.at(plan.launches.at(clear_and_count).kernel),
          plan.kernels.at(plan.launches.back().kernel)};
}

/// One tile a multiprocessor, and more: two, or many, of these one pass in turn (BITUNE_TEST_ALL: both for
/// each). Floating point has the most to compute. Words of 32 and of 64 bits.
TEST(PairKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  std::set<KernelSource> kernels;
  std::set<KernelSource> of_more_tiles;
  std::size_t turn = 0;
  const auto add = [&](const SortSpec& spec) {
    kernels.merge(pass_kernels({spec, {.n = 1 << 20}}));
    const std::uint64_t lengths[] = {3'000'000, 1 << 27};
    for (std::size_t i = 0; i < std::size(lengths); ++i) {
      if (!tests_all() && i != turn % 2) continue;
      std::set<KernelSource> passes = pass_kernels({spec, {.n = lengths[i]}});
      if (!tests_all()) passes.erase(turn / 2 % 2 == 0 ? passes.begin() : std::prev(passes.end()));
      of_more_tiles.merge(passes);
    }
    ++turn;
  };
  for (const KeyType key : {KeyType::f32, KeyType::f64}) {
    for (const std::uint32_t bytes : {1, 4, 8, 16}) {
      add({.operation = Operation::sort_pairs, .key = key, .value_bytes = bytes});
    }
    for (const std::uint32_t bytes : {4, 8}) {
      add({.operation = Operation::argsort, .key = key, .index_bytes = bytes});
    }
  }
  EXPECT_EQ(kernels.size(), 2 * 2 * (4 + 2u)) << "of each";
  // The most items, and the other way to write a tile.
  add({.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 4});
  kernels.merge(of_more_tiles);
  const Problem pairs{{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4},
                      {.n = 1 << 22}};
  kernels.merge(pass_kernels(pairs, {{"values_beside_keys", 1}}));
  for (const KernelSource& kernel : kernels) {
    compiled_without_spills(*compiler, kernel);
  }
}

}  // namespace
}  // namespace bitune::test
