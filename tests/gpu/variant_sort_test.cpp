// Every variant x key type x order on a GPU, under sampled configurations, and lengths past what 32 bits
// count.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem_operands.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

/// The GPU with its kernels; no device if there is none.
const Bench& gpu() {
  static const Bench bench = [] {
    const cuda::Driver* found = cuda::driver_if_present();
    return found == nullptr || found->device_count == 0 ? Bench{} : make_bench(open_device("0"));
  }();
  return bench;
}

class GpuVariant : public testing::TestWithParam<VariantAndKey> {
 protected:
  void SetUp() override {
    if (gpu().device == nullptr) GTEST_SKIP() << "this machine has no GPU";
  }

  /// A configuration for each problem: one for all of an order, or more where the variant binds it to the
  /// length.
  static std::vector<std::pair<Problem, Configuration>> with_configurations(
      const std::vector<Problem>& problems) {
    const Variant& variant = *std::get<0>(GetParam());
    const DeviceInfo& device = gpu().device->info();
    std::vector<std::pair<Problem, Configuration>> sorts;
    std::uint64_t seed = 5;
    for (const Problem& problem : problems) {
      if (!variant.supports(problem, device)) continue;
      const SearchSpace space = variant.space(problem, device);
      const auto usable = std::find_if(sorts.rbegin(), sorts.rend(), [&](const auto& earlier) {
        return earlier.first.order == problem.order && !space.violation(earlier.second, problem, device);
      });
      if (usable != sorts.rend()) {
        sorts.emplace_back(problem, usable->second);
      } else {
        for (Configuration& drawn : sample_configurations(variant, problem, device, 1, ++seed)) {
          sorts.emplace_back(problem, std::move(drawn));
        }
      }
    }
    compile_all(gpu(), sorts);
    return sorts;
  }
};

TEST_P(GpuVariant, SortsAwkwardLengthsInBothOrders) {
  const KeyType key = std::get<1>(GetParam());
  std::vector<Problem> problems;
  for (const Order order : {Order::ascending, Order::descending}) {
    // The longest first: what is valid for it is valid for most of the others.
    for (const std::uint64_t n :
         {(1u << 22) - 1, 1u << 20, 100003u, 65536u, 4097u, 1000u, 64u, 33u, 3u, 2u, 1u, 0u}) {
      problems.push_back({{.key = key, .order = order}, {.n = n}});
    }
  }
  std::uint64_t seed = 1;
  for (const auto& [problem, configuration] : with_configurations(problems)) {
    const auto distribution = all_distributions[seed % all_distributions.size()];
    EXPECT_TRUE(sorts(gpu(), problem, configuration, distribution, seed, {.offset_keys = seed % 3}));
    ++seed;
    if (problem.n != 4097) continue;
    EXPECT_TRUE(sorts(gpu(), problem, configuration, Distribution::special, seed));
  }
}

TEST_P(GpuVariant, SortsRows) {
  const KeyType key = std::get<1>(GetParam());
  std::vector<Problem> problems;
  for (const auto& [rows, n] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {100, 5000}, {3, 1025}, {10001, 100}, {4097, 33}, {1, 1000}, {1001, 7}, {1000, 2}, {1000, 1}}) {
    problems.push_back({{.key = key}, {.n = n, .rows = rows}});
  }
  std::uint64_t seed = 1;
  for (const auto& [problem, configuration] : with_configurations(problems)) {
    const auto distribution = all_distributions[++seed % all_distributions.size()];
    EXPECT_TRUE(sorts(gpu(), problem, configuration, distribution, seed));
    EXPECT_TRUE(sorts(gpu(), problem, configuration, distribution, seed, {.offset_keys = 1, .gap_keys = 3}));
    EXPECT_TRUE(
        sorts(gpu(), problem, configuration, distribution, seed, {.gap_keys = 16, .out_of_place = true}));
  }
}

std::string test_name(const testing::TestParamInfo<GpuVariant::ParamType>& info) {
  return std::string(std::get<0>(info.param)->name()) + "_" + std::string(name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, GpuVariant,
                         ::testing::ValuesIn(variants_and_keys({all_key_types.begin(), all_key_types.end()})),
                         test_name);

/// Large arrays: the reference is made once and serves all variants.
class GpuLarge : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu().device == nullptr) GTEST_SKIP() << "this machine has no GPU";
  }

  static void check(const Problem& problem, const std::vector<const Variant*>& chosen) {
    const Device& device = *gpu().device;
    const auto input = make_keys(problem.key, problem.n, Distribution::random, 3);
    auto expected = input;
    reference_sort(expected.data(), problem.n, problem.key, problem.order);
    std::vector<std::byte> result(input.size());
    const auto keys = device.allocate(input.size());
    for (const Variant* variant : chosen) {
      const Configuration configuration = variant->default_configuration(problem, device.info());
      compile_all(gpu(), {{problem, configuration}});
      const ExecutablePlan plan =
          make_executable(device, *gpu().kernels, variant->plan(problem, configuration, device.info()));
      const auto workspace = device.allocate(plan.plan().workspace_bytes);
      device.copy_to_device(keys->data(), input.data(), input.size(), nullptr);
      Operands operands = packed_operands(problem, keys->data());
      operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
      plan.run(operands, nullptr);
      device.copy_to_host(result.data(), keys->data(), result.size(), nullptr);
      device.synchronize(nullptr);
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), expected.size()), 0) << configuration.text();
    }
  }

  static std::vector<const Variant*> supporting(const Problem& problem) {
    std::vector<const Variant*> found;
    for (const Variant* variant : variants()) {
      if (variant->supports(problem, gpu().device->info())) found.push_back(variant);
    }
    return found;
  }
};

class GpuLargeOf : public GpuLarge, public testing::WithParamInterface<KeyType> {};
INSTANTIATE_TEST_SUITE_P(All, GpuLargeOf, testing::Values(KeyType::u32, KeyType::f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GpuLargeOf, SixtyFourMillionKeysByEveryVariantsDefault) {
  const Problem problem{{.key = GetParam()}, {.n = std::uint64_t{1} << 26}};
  check(problem, supporting(problem));
}

TEST_F(GpuLarge, MoreKeysThan31BitsCount) {
  const Problem problem{{.key = KeyType::u8, .order = Order::descending},
                        {.n = (std::uint64_t{1} << 31) + 4097}};
  if (static_cast<std::uint64_t>(gpu().device->info().memory_bytes) < 2 * problem.n)
    GTEST_SKIP() << "too little memory";
  check(problem, {&variant("warp"), &variant("radix")});
}

TEST_F(GpuLarge, MoreKeysInRowsThan32BitsCount) {
  const Problem problem{{.key = KeyType::u8}, {.n = 64, .rows = (std::uint64_t{1} << 26) + 3}};
  if (static_cast<std::uint64_t>(gpu().device->info().memory_bytes) < 2 * problem.n * problem.rows) {
    GTEST_SKIP() << "too little memory";
  }
  const Device& device = *gpu().device;
  // Each row is 63 .. 0: what is right needs no reference, and only the last rows lie past 2^32 keys.
  std::vector<std::byte> row(problem.n);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::byte>(row.size() - 1 - i);
  std::vector<std::byte> keys(problem.n * problem.rows);
  for (std::uint64_t r = 0; r < problem.rows; ++r)
    std::memcpy(keys.data() + r * problem.n, row.data(), row.size());
  const auto memory = device.allocate(keys.size());
  device.copy_to_device(memory->data(), keys.data(), keys.size(), nullptr);
  const Variant& rows = variant("rows");
  const auto plan =
      make_executable(device, *gpu().kernels,
                      rows.plan(problem, rows.default_configuration(problem, device.info()), device.info()));
  plan.run(packed_operands(problem, memory->data()), nullptr);
  device.copy_to_host(keys.data(), memory->data(), keys.size(), nullptr);
  device.synchronize(nullptr);
  std::reverse(row.begin(), row.end());
  std::uint64_t wrong = 0;
  for (std::uint64_t r = 0; r < problem.rows; ++r) {
    wrong += std::memcmp(keys.data() + r * problem.n, row.data(), row.size()) == 0 ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace bitune::test
