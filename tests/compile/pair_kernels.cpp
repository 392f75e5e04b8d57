// NVRTC, no GPU: what carries values and indices by default on an H200 keeps all that it holds in registers.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"
#include "tests/compile/without_spills.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {
namespace {

/// The kernels of the passes, without those that clear and count, with some parameters changed. Of two that
/// differ only in whether the next launch may begin early, one.
std::set<KernelSource> pass_kernels(const Problem& problem,
                                    const std::map<std::string, std::int64_t>& changes = {}) {
  const Variant& family = variant("radix_pairs");
  Configuration c = family.default_configuration(problem, h200());
  for (const auto& [parameter, value] : changes) c.parameters.at(parameter) = value;
  EXPECT_EQ(family.space(problem, h200()).violation(c, problem, h200()), std::nullopt) << c.text();
  const Plan plan = family.plan(problem, c, h200());
  std::map<std::string, KernelSource> kernels;
  for (const KernelSource& kernel : plan.kernels) {
    const std::string& name = kernel.name_expression;
    if (kernel.short_name() == "radix_pairs_pass") kernels.emplace(name.substr(0, name.rfind(',')), kernel);
  }
  std::set<KernelSource> different;
  for (const auto& [name, kernel] : kernels) different.insert(kernel);
  return different;
}

TEST(PairKernels, DoNotSpillByDefault) {
  const DeviceInfo device = h200();
  const auto compiler = cuda::make_nvrtc_compiler(device.compute_major, device.compute_minor);
  std::set<KernelSource> kernels;
  // Floating point has the most to compute. Words of 32 and of 64 bits.
  for (const KeyType key : {KeyType::f32, KeyType::f64}) {
    for (const std::uint32_t bytes : {1, 4, 8, 16}) {
      kernels.merge(pass_kernels(
          {{.operation = Operation::sort_pairs, .key = key, .value_bytes = bytes}, {.n = 1 << 20}}));
    }
    for (const std::uint32_t bytes : {4, 8}) {
      kernels.merge(pass_kernels(
          {{.operation = Operation::argsort, .key = key, .index_bytes = bytes}, {.n = 1 << 20}}));
    }
  }
  EXPECT_EQ(kernels.size(), 2 * (4 + 2 * 2u)) << "an argsort has two of its own, and one of pairs";
  // The other way to write a tile.
  const Problem pairs{{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4},
                      {.n = 1 << 22}};
  kernels.merge(pass_kernels(pairs, {{"values_beside_keys", 1}}));
  for (const KernelSource& kernel : kernels) {
    compiled_without_spills(*compiler, kernel);
  }
}

}  // namespace
}  // namespace bitune::test
