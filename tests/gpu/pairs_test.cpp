// Pairs and argsort on a GPU, checked by the oracle. Skipped where there is none.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/pairs_check.hpp"

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

  void check(const Problem& problem, Distribution distribution, std::uint64_t seed, bool in_place) {
    EXPECT_TRUE(carries(engine->device(), problem, distribution, seed, in_place,
                        [&](const Operands& operands) { engine->run(problem, operands, nullptr); }));
  }

  std::unique_ptr<SortEngine> engine;
};

TEST_F(GpuPairs, CarriesEveryWidthWithEveryKeyType) {
  std::uint64_t seed = 0;
  for (const KeyType key : all_key_types) {
    for (const Order order : {Order::ascending, Order::descending}) {
      Problem problem{{.key = key, .order = order, .stable = true}, {.n = 0}};
      for (const std::uint32_t bytes : {1, 2, 4, 8, 16}) {
        problem.operation = Operation::sort_pairs;
        problem.value_bytes = bytes;
        problem.n = 100001 + 1000 * bytes;
        check(problem, seed % 2 == 0 ? Distribution::special : Distribution::few_distinct, seed,
              seed % 3 == 0);
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

}  // namespace
}  // namespace bitune::test
