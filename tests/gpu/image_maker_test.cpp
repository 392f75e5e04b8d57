// Images that a GPU makes are those that the host makes, byte for byte. Skipped where there is none.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "measure/image_maker.hpp"
#include "measure/problem_data.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

class GpuImages : public ::testing::TestWithParam<Problem> {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    bench = make_bench(open_device("0"));
  }

  void expect_same(const void* a, const void* b, std::uint64_t bytes) const {
    std::vector<std::byte> first(bytes);
    std::vector<std::byte> second(bytes);
    bench.device->copy_to_host(first.data(), a, bytes, nullptr);
    bench.device->copy_to_host(second.data(), b, bytes, nullptr);
    bench.device->synchronize(nullptr);
    EXPECT_TRUE(first == second);
  }

  Bench bench;
};

TEST_P(GpuImages, AreThoseOfTheHost) {
  ASSERT_TRUE(ImageMaker::pays(*bench.device, GetParam()));
  const ProblemData by_host(*bench.device, GetParam(),
                            MeasuredInput{.distribution = Distribution::random, .seed = 3, .inputs = 2},
                            nullptr);
  const ProblemData by_gpu(*bench.device, GetParam(),
                           MeasuredInput{.distribution = Distribution::random, .seed = 3, .inputs = 2},
                           nullptr, bench.kernels.get());
  const CallLayout& layout = by_host.layout();
  for (const Distribution distribution : by_host.verified()) {
    SCOPED_TRACE(name_of(distribution));
    expect_same(by_gpu.input(distribution), by_host.input(distribution), layout.input_bytes());
    expect_same(by_gpu.expected(distribution), by_host.expected(distribution), layout.bytes());
  }
  if (!by_host.has_gapped()) return;
  const CallLayout& gapped = by_host.gapped_layout();
  expect_same(by_gpu.gapped_input(), by_host.gapped_input(), gapped.input_bytes());
  expect_same(by_gpu.gapped_expected(), by_host.gapped_expected(), gapped.bytes());
}

constexpr SortSpec pairs{
    .operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4, .stable = true};
constexpr SortSpec wide_pairs{.operation = Operation::sort_pairs,
                              .key = KeyType::u64,
                              .value_bytes = 16,
                              .order = Order::descending,
                              .stable = true};
constexpr SortSpec argsort{
    .operation = Operation::argsort, .key = KeyType::f16, .index_bytes = 8, .stable = true};
constexpr SortSpec keys{.key = KeyType::i8, .order = Order::descending};

INSTANTIATE_TEST_SUITE_P(OfArraysAndRows, GpuImages,
                         ::testing::Values(Problem{pairs, {.n = 3000001}},
                                           Problem{wide_pairs, {.n = 1 << 20}},
                                           Problem{argsort, {.n = 1001, .rows = 3000}},
                                           Problem{pairs, {.n = 16, .rows = 1 << 18}},
                                           Problem{keys, {.n = 1 << 21}}));

}  // namespace
}  // namespace bitune::test
