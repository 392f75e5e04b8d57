#include <gtest/gtest.h>

#include <atomic>

#include "bench/bench.hpp"
#include "bench/start.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

TEST(GpuSorterBench, VerifiesAndTimesBothSides) {
  const cuda::Driver* found = cuda::driver_if_present();
  if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
  BenchRequest request;
  request.device = "0";
  request.specs = {{.key = KeyType::u32}, {.key = KeyType::f32}};
  request.sizes = {256, 1 << 20};
  request.samples = 5;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(request, {}, stop);
  ASSERT_EQ(result.records.size(), 4u);
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified) << result.note;
    EXPECT_GT(record.bitune_us, 0);
    if (result.peer_path.empty()) continue;  // built without nvcc
    EXPECT_EQ(result.note, "");
    EXPECT_EQ(record.methods_us.size(), 3u);
    EXPECT_GT(record.ratio.value_or(0), 0);
    EXPECT_GT(record.batch, record.problem.n == 256 ? 1 : 0);
  }
}

bool has_no_gpu() {
  const cuda::Driver* found = cuda::driver_if_present();
  return found == nullptr || found->device_count == 0;
}

TEST(GpuSorterBench, VerifiesPairsAndArgsortOfBothSides) {
  if (has_no_gpu()) GTEST_SKIP() << "this machine has no GPU";
  BenchRequest request;
  request.device = "0";
  request.specs = {
      {.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 4, .stable = true},
      {.operation = Operation::sort_pairs, .key = KeyType::u64, .value_bytes = 8, .stable = true},
      {.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4, .stable = true}};
  request.sizes = {1000, 1 << 18};  // of keys of 16 bits many are equal
  request.samples = 3;
  const std::atomic<bool> stop{false};
  for (const BenchSuite suite : {BenchSuite::single, BenchSuite::rows}) {
    request.suite = suite;
    if (suite == BenchSuite::rows) request.sizes = {128, 1000};
    request.total = suite == BenchSuite::rows ? 1 << 20 : 0;
    const BenchResult result = run_bench(request, {}, stop);
    EXPECT_EQ(result.peer_path.empty(), !result.note.empty()) << result.note;
    ASSERT_EQ(result.records.size(), 6u);
    for (const BenchRecord& record : result.records) {
      EXPECT_TRUE(record.verified) << result.note;
      if (!result.peer_path.empty() && suite == BenchSuite::single) {
        EXPECT_EQ(record.methods_us.size(), record.problem.operation == Operation::argsort ? 2u : 3u);
      }
    }
  }
}

TEST(GpuSorterBench, TimesGraphsOfTheSameSorts) {
  if (has_no_gpu()) GTEST_SKIP() << "this machine has no GPU";
  BenchRequest request;
  request.device = "0";
  request.against = "none";
  request.graph = true;
  request.specs = {{.key = KeyType::u32}};
  request.sizes = {2, 256, 1000, 1 << 16, 1 << 20};
  request.samples = 9;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(request, {}, stop);
  EXPECT_EQ(result.note, "") << "nothing that cannot be captured";
  ASSERT_EQ(result.records.size(), request.sizes.size());
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified);
    ASSERT_TRUE(record.graph_us.has_value());
    EXPECT_GT(*record.graph_us, 0);
    EXPECT_EQ(record.between_us.has_value(), record.bitune_us < 50) << record.bitune_us;
    if (record.between_us) {
      EXPECT_GT(*record.between_us, 0);
    }
  }
}

TEST(GpuSorterBench, TimesGraphsOfRows) {
  if (has_no_gpu()) GTEST_SKIP() << "this machine has no GPU";
  BenchRequest request;
  request.suite = BenchSuite::rows;
  request.device = "0";
  request.against = "none";
  request.graph = true;
  request.specs = {{.key = KeyType::u16}};
  request.sizes = {1, 100};
  request.rows = {1000};
  request.samples = 5;
  const std::atomic<bool> stop{false};
  for (const BenchRecord& record : run_bench(request, {}, stop).records) {
    EXPECT_TRUE(record.verified);
    EXPECT_GT(record.graph_us.value_or(0), 0) << record.form;
  }
}

TEST(GpuSorterBench, MeasuresAFirstAndASecondSort) {
  if (has_no_gpu()) GTEST_SKIP() << "this machine has no GPU";
  const StartProcessRequest request{.device = open_device("0")->software().uuid,
                                    .database = "",
                                    .kernel_cache = "",
                                    .problem = {{.key = KeyType::f32}, {.n = 1 << 20}}};
  static_cast<void>(measure_start(request));
  const StartProcessAnswer warm = measure_start(request);
  EXPECT_TRUE(warm.verified);
  EXPECT_EQ(warm.compiled_kernels, 0) << "the kernel cache has what the first one compiled";
  EXPECT_GT(warm.cuda_start_us, 0);
  EXPECT_GT(warm.first_us, 0);
  EXPECT_GT(warm.second_us, 0);
}

}  // namespace
}  // namespace bitune
