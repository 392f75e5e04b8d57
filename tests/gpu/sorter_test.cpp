#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bitune/bitune.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

class GpuSorter : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    device = open_device("0");
    folder = fs::temp_directory_path() / ("bitune-gpu-sorter-" + std::to_string(::getpid()));
    sorter = std::make_unique<Sorter>(
        SorterOptions{.device = "0", .database = (folder / "none.db").string(), .kernel_cache = {}});
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Sorts generated keys in device memory and compares all bytes with the host's reference.
  testing::AssertionResult sorts(KeyType key, std::uint64_t n, Order order, Distribution distribution,
                                 std::uint64_t offset_keys = 0) {
    const std::size_t size = size_of(key);
    std::vector<std::byte> expected = make_keys(key, n, distribution, 7);
    const auto buffer = device->allocate((n + offset_keys) * size + 1);
    auto* keys = static_cast<std::byte*>(buffer->data()) + offset_keys * size;
    const auto stream = device->create_stream();
    device->copy_to_device(keys, expected.data(), expected.size(), stream->handle());
    sorter->sort(keys, n, key, stream->handle(), order);
    std::vector<std::byte> result(expected.size());
    device->copy_to_host(result.data(), keys, result.size(), stream->handle());
    reference_sort(expected.data(), n, key, order);
    device->synchronize(stream->handle());
    if (result == expected) return testing::AssertionSuccess();
    const auto first = std::mismatch(result.begin(), result.end(), expected.begin()).first - result.begin();
    return testing::AssertionFailure()
           << name_of(key) << ' ' << name_of(order) << " n=" << n << ' ' << name_of(distribution)
           << " offset " << offset_keys << ": key " << static_cast<std::size_t>(first) / size << " is wrong; "
           << sorter->explain({{.key = key, .order = order}, {.n = n}}).configuration;
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<Sorter> sorter;
  fs::path folder;
};

/// Tests a key type each, so that shards share out what takes long to compile.
class GpuSorterOf : public GpuSorter, public testing::WithParamInterface<KeyType> {};
INSTANTIATE_TEST_SUITE_P(All, GpuSorterOf, testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(GpuSorterOf, SortsInBothOrders) {
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const std::uint64_t n :
         {std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{65537}, std::uint64_t{1} << 20}) {
      EXPECT_TRUE(sorts(GetParam(), n, order, Distribution::random));
      EXPECT_TRUE(sorts(GetParam(), n, order, Distribution::special));
    }
  }
}

TEST_F(GpuSorter, SortsArraysThatBeginAnywhere) {
  for (const KeyType key : {KeyType::u8, KeyType::u16, KeyType::f32, KeyType::u64}) {
    for (std::uint64_t offset = 1; offset < 4; ++offset) {
      EXPECT_TRUE(sorts(key, 100003, Order::ascending, Distribution::random, offset));
    }
  }
}

TEST_F(GpuSorter, SortsLargeArrays) {
  for (const KeyType key : {KeyType::u32, KeyType::f32, KeyType::u64}) {
    EXPECT_TRUE(sorts(key, std::uint64_t{1} << 26, Order::ascending, Distribution::random));
    EXPECT_TRUE(sorts(key, (std::uint64_t{1} << 25) + 12345, Order::descending, Distribution::few_distinct));
  }
}

TEST_F(GpuSorter, SortsMoreKeysThan32BitsCount) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 31) + 5;
  if (static_cast<std::uint64_t>(device->info().memory_bytes) < 2 * n)
    GTEST_SKIP() << "too little device memory";
  EXPECT_TRUE(sorts(KeyType::u8, n, Order::ascending, Distribution::random));
}

TEST_F(GpuSorter, SortsHostArraysAndBreaksTheTimeDown) {
  for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{1} << 20, (std::uint64_t{1} << 23) + 1}) {
    auto keys = make_keys(KeyType::f32, n, Distribution::special, 3);
    auto expected = keys;
    reference_sort(expected.data(), n, KeyType::f32, Order::ascending);
    const HostSortTimes times = sorter->sort_host(keys.data(), n, KeyType::f32);
    EXPECT_TRUE(keys == expected) << n;
    EXPECT_GT(times.host_to_device_us, 0);
    EXPECT_GT(times.kernels_us, 0);
    EXPECT_GT(times.device_to_host_us, 0);
    EXPECT_GE(1.05 * times.total_us, times.host_to_device_us + times.kernels_us + times.device_to_host_us);
  }
}

TEST_F(GpuSorter, ServesSeveralThreadsAndStreams) {
  std::vector<std::thread> threads;
  std::vector<std::string> failures(6);
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t n = 10000 + t; n < 10100; n += 17) {
        const auto result = sorts(KeyType::u32, n, Order::ascending, Distribution::random);
        if (!result) failures[t] = result.message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

/// Keeps a stream from going on until the host writes something else than 0 to `flag`.
const std::vector<cuda::HeaderText> waiting_kernel = {{"planted/wait.cuh", R"(#pragma once
namespace planted {
__global__ void wait_for_host(const unsigned* flag) {
  while (*static_cast<const volatile unsigned*>(flag) == 0) {}
}
}
)"}};

TEST_F(GpuSorter, IsAsynchronous) {
  constexpr std::uint64_t n = std::uint64_t{1} << 24;
  const auto keys = make_keys(KeyType::u32, n, Distribution::random, 1);
  const auto buffer = device->allocate(keys.size());
  const auto stream = device->create_stream();
  const auto end = device->create_event();
  const auto compiler =
      cuda::make_nvrtc_compiler(device->info().compute_major, device->info().compute_minor, waiting_kernel);
  const auto kernel = device->load(compiler->compile({"planted/wait.cuh", "planted::wait_for_host"}));
  const auto flag = device->allocate_host(sizeof(unsigned));
  const auto write_flag = [&flag](unsigned value) {
    *reinterpret_cast<volatile unsigned*>(flag->data()) = value;
  };
  const auto wait_and_sort = [&] {
    device->launch(*kernel, Launch{}, std::vector{reinterpret_cast<std::uint64_t>(flag->data())},
                   stream->handle());
    for (int i = 0; i < 4; ++i) sorter->sort(buffer->data(), n, KeyType::u32, stream->handle());
    device->record(*end, stream->handle());
  };
  device->copy_to_device(buffer->data(), keys.data(), keys.size(), stream->handle());
  write_flag(1);
  wait_and_sort();  // loads all code, for which the driver may wait
  device->synchronize(stream->handle());
  write_flag(0);
  wait_and_sort();  // would hang if it waited for the device
  EXPECT_FALSE(device->has_passed(*end));
  write_flag(1);
  device->synchronize(stream->handle());
  EXPECT_TRUE(device->has_passed(*end));
}

}  // namespace
}  // namespace bitune
