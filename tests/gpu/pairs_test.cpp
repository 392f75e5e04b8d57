// Pairs and argsort on a GPU, checked by the oracle. Skipped where there is none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

constexpr SortSpec pairs_of(KeyType key, std::uint32_t value_bytes) {
  return {.operation = Operation::sort_pairs, .key = key, .value_bytes = value_bytes, .stable = true};
}

constexpr SortSpec argsort_of(KeyType key, std::uint32_t index_bytes = 4) {
  return {.operation = Operation::argsort, .key = key, .index_bytes = index_bytes, .stable = true};
}

class GpuPairs : public ::testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    engine = std::make_unique<SortEngine>(
        open_device("0"), nullptr, [](const Problem&, std::string*) { return CandidateSet{}; }, variants());
  }

  void check(const Problem& problem, Distribution distribution, std::uint64_t seed, bool in_place,
             bool gaps = false) {
    const auto run = [&](const Operands& operands) { engine->run(problem, operands, nullptr); };
    EXPECT_TRUE(
        is_right(engine->device(), problem, distribution, seed, {.in_place = in_place, .gaps = gaps}, run));
  }

  std::unique_ptr<SortEngine> engine;
};

/// Tests a key type each, so that shards share out what takes long to compile. Both orders take turns.
class GpuPairsOf : public GpuPairs, public ::testing::WithParamInterface<KeyType> {};
INSTANTIATE_TEST_SUITE_P(All, GpuPairsOf, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GpuPairsOf, CarriesEveryWidth) {
  auto seed = static_cast<std::uint64_t>(GetParam()) * 7;
  const auto next = [&](SortSpec spec, std::uint64_t n, bool in_place) {
    ++seed;
    spec.order = seed % 2 == 0 ? Order::ascending : Order::descending;
    check({spec, {.n = n}}, seed % 4 < 2 ? Distribution::special : Distribution::few_distinct, seed,
          in_place);
  };
  for (const std::uint32_t bytes : {1, 2, 4, 8, 16}) {
    next(pairs_of(GetParam(), bytes), 100001 + 1000 * bytes, seed % 3 == 0);
  }
  for (const std::uint32_t bytes : {4, 8}) next(argsort_of(GetParam(), bytes), 300007, false);
}

TEST_F(GpuPairs, CarriesAnyNumberOfItems) {
  for (const std::uint64_t n : {0, 1, 2, 31, 1000, 4864, 4865, 1 << 20, 20000003}) {
    check({pairs_of(KeyType::f32, 4), {.n = n}}, Distribution::random, n, true);
    check({argsort_of(KeyType::f32), {.n = n}}, Distribution::all_equal, n, false);
  }
}

class GpuPairRows : public GpuPairs, public ::testing::WithParamInterface<SortSpec> {};
INSTANTIATE_TEST_SUITE_P(All, GpuPairRows,
                         ::testing::Values(pairs_of(KeyType::f32, 4), argsort_of(KeyType::f32),
                                           pairs_of(KeyType::bf16, 1), pairs_of(KeyType::f64, 16),
                                           argsort_of(KeyType::u64), argsort_of(KeyType::i8)),
                         [](const auto& info) {
                           return std::string(name_of(info.param.operation)) + "_" +
                                  std::string(name_of(info.param.key));
                         });

TEST_P(GpuPairRows, AreCarriedWhateverTheirLength) {
  auto seed = 12 * static_cast<std::uint64_t>(GetParam().key);
  for (const std::uint64_t n : {1, 2, 3, 31, 100, 512, 1000, 4097, 16384, 20000, 32768, 100000}) {
    ++seed;
    const Problem problem{GetParam(), {.n = n, .rows = 1 + 600000 / n}};
    check(problem, seed % 3 == 0 ? Distribution::few_distinct : Distribution::special, seed, seed % 2 == 0,
          seed % 4 == 0);
  }
}

/// Tests a variant and a shape each.
class GpuPairsBy : public GpuPairs,
                   public ::testing::WithParamInterface<std::tuple<std::string_view, Shape>> {};
INSTANTIATE_TEST_SUITE_P(
    All, GpuPairsBy,
    ::testing::Combine(::testing::Values("rows_by_place", "cluster_by_place", "merge_by_place",
                                         "rows_by_digits", "cluster_by_digits"),
                       ::testing::Values(Shape{.n = 100, .rows = 5000}, Shape{.n = 4096, .rows = 100},
                                         Shape{.n = 12000, .rows = 40}, Shape{.n = 3000})),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param).n);
    });

/// All configurations give one result; some of each variant show it. Those with the most items a thread can
/// take half a minute to compile: of four the two with the fewest (BITUNE_TEST_ALL: all four).
TEST_P(GpuPairsBy, SortsWhateverTheConfiguration) {
  const Bench bench = make_bench(open_device("0"));
  const auto& [name, shape] = GetParam();
  const DeviceInfo& device = bench.device->info();
  const Variant& by = variant(name);
  std::uint64_t seed = shape.n;
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const SortSpec& spec :
       {pairs_of(KeyType::f32, 8), argsort_of(KeyType::f32), pairs_of(KeyType::f16, 2)}) {
    const Problem problem{spec, shape};
    if (!by.supports(problem, device)) continue;
    auto drawn = sample_configurations(by, problem, device, 4, ++seed);
    std::sort(drawn.begin(), drawn.end(), [](const Configuration& a, const Configuration& b) {
      return a.at("items_per_thread") < b.at("items_per_thread");
    });
    if (!tests_all() && drawn.size() > 2) drawn.resize(2);
    for (Configuration& c : drawn) sorts.emplace_back(problem, std::move(c));
  }
  ASSERT_FALSE(sorts.empty());
  compile_all(bench, sorts);
  for (const auto& [problem, configuration] : sorts) {
    ++seed;
    EXPECT_TRUE(is_right(bench, problem, configuration, Distribution::special, seed,
                         {.in_place = seed % 2 == 0, .gaps = seed % 3 == 0}));
  }
}

}  // namespace
}  // namespace bitune::test
