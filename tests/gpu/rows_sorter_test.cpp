#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bitune/bitune.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "tests/support/row_check.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;
using test::sorts_rows;

class GpuRows : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    device = open_device("0");
    sorter = std::make_unique<Sorter>(
        SorterOptions{.device = "0",
                      .database = (fs::temp_directory_path() / "bitune-none.db").string(),
                      .kernel_cache = {}});
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<Sorter> sorter;
};

Problem rows_of(KeyType key, std::uint64_t rows, std::uint64_t n, Order order = Order::ascending) {
  return {{.key = key, .order = order}, {.n = n, .rows = rows}};
}

/// Every fourth length each, so that shards share out what takes long to compile.
class GpuRowLengths : public GpuRows, public testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, GpuRowLengths, testing::Range<std::size_t>(0, 4));

TEST_P(GpuRowLengths, UpTo130AndAroundPowersOfTwo) {
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t n = 0; n <= 130; ++n) lengths.push_back(n);
  for (std::uint64_t n = 256; n <= std::uint64_t{1} << 17; n *= 2)
    lengths.insert(lengths.end(), {n - 1, n, n + 1});
  for (std::size_t i = GetParam(); i < lengths.size(); i += 4) {
    const std::uint64_t n = lengths[i];
    const std::uint64_t rows = n > 5000 ? 7 : 133;
    EXPECT_TRUE(sorts_rows(*device, *sorter,
                           {.problem = rows_of(KeyType::u32, rows, n), .out_of_place = n % 3 == 0}));
    EXPECT_TRUE(
        sorts_rows(*device, *sorter,
                   {.problem = rows_of(KeyType::u32, rows, n), .gap = n % 7, .out_of_place = n % 2 == 0}));
  }
}

/// Tests a key type each, so that shards share out what takes long to compile.
class GpuRowsOf : public GpuRows, public testing::WithParamInterface<KeyType> {};
INSTANTIATE_TEST_SUITE_P(All, GpuRowsOf, testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GpuRowsOf, SortsInBothOrders) {
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const std::uint64_t n : {7, 100, 1000, 20000}) {
      for (const bool out_of_place : {false, true}) {
        EXPECT_TRUE(sorts_rows(*device, *sorter,
                               {.problem = rows_of(GetParam(), 300000 / n, n, order),
                                .gap = n % 4,
                                .out_of_place = out_of_place,
                                .distribution = Distribution::special,
                                .offset_keys = n % 3}));
      }
    }
  }
}

TEST_F(GpuRows, NumbersOfRows) {
  for (const std::uint64_t rows : {0, 1, 2, 3, 31, 33, 1000, 65535, 65537, 1000003}) {
    EXPECT_TRUE(sorts_rows(*device, *sorter, {.problem = rows_of(KeyType::f32, rows, 20)}));
    EXPECT_TRUE(sorts_rows(*device, *sorter,
                           {.problem = rows_of(KeyType::u16, rows, 3), .gap = 2, .out_of_place = true}));
  }
}

TEST_F(GpuRows, MoreKeysThan32BitsCount) {
  constexpr std::uint64_t n = 1000;
  constexpr std::uint64_t rows = ((std::uint64_t{1} << 31) + (std::uint64_t{1} << 27)) / n;
  if (static_cast<std::uint64_t>(device->info().memory_bytes) < 3 * n * rows)
    GTEST_SKIP() << "too little device memory";
  EXPECT_TRUE(sorts_rows(*device, *sorter, {.problem = rows_of(KeyType::u8, rows, n)}));
  EXPECT_TRUE(sorts_rows(*device, *sorter,
                         {.problem = rows_of(KeyType::u8, rows, n), .gap = 1, .out_of_place = true}));
}

TEST_F(GpuRows, MoreBytesThan32BitsCountBetweenRows) {
  constexpr std::uint64_t gap = (std::uint64_t{1} << 32) + 3;
  if (static_cast<std::uint64_t>(device->info().memory_bytes) < 5 * gap)
    GTEST_SKIP() << "too little device memory";
  for (const std::uint64_t n :
       {1, 100}) {  // rows of one key are copied, by the driver, which takes no such pitch
    EXPECT_TRUE(sorts_rows(*device, *sorter,
                           {.problem = rows_of(KeyType::u8, 2, n), .gap = gap, .out_of_place = true}));
  }
}

TEST_F(GpuRows, HostRows) {
  const Problem problem = rows_of(KeyType::f64, 5001, 777, Order::descending);
  auto keys = make_keys(problem.key, problem.n * problem.rows, Distribution::special, 3);
  auto expected = keys;
  reference_sort_rows(expected, problem);
  const HostSortTimes times =
      sorter->sort_rows_host(keys.data(), problem.rows, problem.n, problem.key, problem.order);
  EXPECT_TRUE(keys == expected);
  EXPECT_GT(times.kernels_us, 0);
}

TEST_F(GpuRows, BenchVerifiesAndTimesBothSides) {
  BenchRequest request;
  request.suite = BenchSuite::rows;
  request.device = "0";
  request.specs = {
      {.key = KeyType::u16}, {.key = KeyType::u32}, {.key = KeyType::f32}, {.key = KeyType::u64}};
  request.sizes = {1, 100, 1024};
  request.rows = {1, 5000};
  request.samples = 5;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(request, {}, stop);
  ASSERT_EQ(result.records.size(), 24u);
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified) << result.note;
    EXPECT_GT(record.bitune_us, 0);
    if (result.peer_path.empty()) continue;  // built without nvcc
    EXPECT_EQ(result.note, "");
    EXPECT_TRUE(record.methods_us.contains("segmented"));
    EXPECT_EQ(record.methods_us.contains("radix"), record.problem.rows == 1);
    EXPECT_GT(record.ratio.value_or(0), 0);
  }
}

}  // namespace
}  // namespace bitune
