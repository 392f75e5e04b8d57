#include <gtest/gtest.h>

#include <atomic>

#include "bench/bench.hpp"
#include "runtime/cuda/driver.hpp"

namespace bitune {
namespace {

TEST(GpuSorterBench, VerifiesAndTimesBothSides) {
  const cuda::Driver* found = cuda::driver_if_present();
  if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
  BenchRequest request;
  request.device = "0";
  request.keys = {KeyType::u32, KeyType::f32};
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
    EXPECT_GT(record.batch, record.n == 256 ? 1 : 0);
  }
}

}  // namespace
}  // namespace bitune
