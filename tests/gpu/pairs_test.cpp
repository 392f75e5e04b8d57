// Pairs and argsort on a GPU, checked by the oracle. Skipped where there is none.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

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

/// Tests a key type each, so that shards share out what takes long to compile.
class GpuPairsOf : public GpuPairs, public ::testing::WithParamInterface<KeyType> {};
INSTANTIATE_TEST_SUITE_P(All, GpuPairsOf, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GpuPairsOf, CarriesEveryWidth) {
  auto seed = static_cast<std::uint64_t>(GetParam()) * 14;
  for (const Order order : {Order::ascending, Order::descending}) {
    Problem problem{{.key = GetParam(), .order = order, .stable = true}, {.n = 0}};
    for (const std::uint32_t bytes : {1, 2, 4, 8, 16}) {
      problem.operation = Operation::sort_pairs;
      problem.value_bytes = bytes;
      problem.n = 100001 + 1000 * bytes;
      check(problem, seed % 2 == 0 ? Distribution::special : Distribution::few_distinct, seed, seed % 3 == 0);
      ++seed;
    }
    problem.operation = Operation::argsort;
    problem.value_bytes = 0;
    for (const std::uint32_t bytes : {4, 8}) {
      problem.index_bytes = bytes;
      problem.n = 300007;
      check(problem, Distribution::special, ++seed, false);
    }
  }
}

TEST_F(GpuPairs, CarriesAnyNumberOfItems) {
  for (const std::uint64_t n : {0, 1, 2, 31, 1000, 4864, 4865, 1 << 20, 20000003}) {
    Problem problem{
        {.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4, .stable = true},
        {.n = n}};
    check(problem, Distribution::random, n, true);
    problem.operation = Operation::argsort;
    problem.value_bytes = 0;
    problem.index_bytes = 4;
    check(problem, Distribution::all_equal, n, false);
  }
}

constexpr SortSpec pairs_of(KeyType key, std::uint32_t value_bytes) {
  return {.operation = Operation::sort_pairs, .key = key, .value_bytes = value_bytes, .stable = true};
}

constexpr SortSpec argsort_of(KeyType key) {
  return {.operation = Operation::argsort, .key = key, .index_bytes = 4, .stable = true};
}

TEST_F(GpuPairs, CarriesRowsOfAnyLength) {
  std::uint64_t seed = 0;
  for (const std::uint64_t n : {1, 2, 3, 31, 100, 512, 1000, 4097, 16384, 20000, 32768, 100000}) {
    for (const SortSpec& spec :
         {pairs_of(KeyType::f32, 4), argsort_of(KeyType::f32), pairs_of(KeyType::bf16, 1),
          pairs_of(KeyType::f64, 16), argsort_of(KeyType::u64), argsort_of(KeyType::i8)}) {
      ++seed;
      const Problem problem{spec, {.n = n, .rows = 1 + 400000 / n}};
      check(problem, seed % 3 == 0 ? Distribution::few_distinct : Distribution::special, seed, seed % 2 == 0,
            seed % 4 == 0);
    }
  }
}

class GpuPairsBy : public GpuPairs, public ::testing::WithParamInterface<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, GpuPairsBy,
                         ::testing::Values("rows_by_place", "cluster_by_place", "merge_by_place",
                                           "rows_by_digits", "cluster_by_digits"),
                         [](const auto& info) { return std::string(info.param); });

/// All configurations give one result; some of each variant show it.
TEST_P(GpuPairsBy, SortsWhateverTheConfiguration) {
  const Bench bench = make_bench(open_device("0"));
  const DeviceInfo& device = bench.device->info();
  const Variant& by = variant(GetParam());
  std::uint64_t seed = 0;
  for (const Shape& shape : {Shape{.n = 100, .rows = 5000}, Shape{.n = 4096, .rows = 100},
                             Shape{.n = 12000, .rows = 40}, Shape{.n = 3000}}) {
    for (const SortSpec& spec :
         {pairs_of(KeyType::f32, 8), argsort_of(KeyType::f32), pairs_of(KeyType::f16, 2)}) {
      const Problem problem{spec, shape};
      if (!by.supports(problem, device)) continue;
      for (const Configuration& c : sample_configurations(by, problem, device, 4, ++seed)) {
        EXPECT_TRUE(is_right(bench, problem, c, Distribution::special, seed,
                             {.in_place = seed % 2 == 0, .gaps = seed % 3 == 0}));
      }
    }
  }
}

}  // namespace
}  // namespace bitune::test
