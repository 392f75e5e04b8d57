#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "bitune/bitune.hpp"
#include "measure/inputs.hpp"
#include "model/key_order.hpp"
#include "model/problem_operands.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t n = 100000;
constexpr Problem problem{{.key = KeyType::u32}, {.n = n}};

/// Entry points that only this test needs, typed by cuda.h.
template <class Function>
Function* entry(const char* name) {
  auto* function = reinterpret_cast<Function*>(cuda::driver().library.symbol(name));
  EXPECT_NE(function, nullptr) << name;
  return function;
}

/// A Sorter, keys in device memory, and a primary context that is current, as an application's is.
class GpuSorterCapture : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    device = open_device("0");
    CUcontext primary = nullptr;
    ASSERT_EQ(cuda::driver().cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuda::driver().cuCtxPushCurrent(primary), CUDA_SUCCESS);
    stream = device->create_stream();
    buffer = device->allocate(n * sizeof(std::uint32_t));
  }
  void TearDown() override {
    if (!device) return;
    buffer.reset();
    stream.reset();
    CUcontext popped = nullptr;
    EXPECT_EQ(cuda::driver().cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    EXPECT_EQ(cuda::driver().cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  }

  [[nodiscard]] CUstream raw() const { return static_cast<CUstream>(stream->handle()); }

  void restore(std::uint64_t seed) {
    keys = make_keys(KeyType::u32, n, Distribution::random, seed);
    device->copy_to_device(buffer->data(), keys.data(), keys.size(), stream->handle());
    device->synchronize(stream->handle());
  }
  [[nodiscard]] bool is_sorted_now() {
    device->copy_to_host(keys.data(), buffer->data(), keys.size(), stream->handle());
    device->synchronize(stream->handle());
    return is_sorted(keys.data(), n, KeyType::u32, Order::ascending);
  }

  /// What `sort` enqueues is captured, and sorts other keys each time that it is replayed.
  void capture_and_replay(const std::function<void()>& sort) {
    ASSERT_EQ(entry<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2")(raw(),
                                                                               CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    sort();
    CUgraph graph = nullptr;
    ASSERT_EQ(entry<decltype(cuStreamEndCapture)>("cuStreamEndCapture")(raw(), &graph), CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    ASSERT_EQ(entry<decltype(cuGraphInstantiate)>("cuGraphInstantiateWithFlags")(&executable, graph, 0),
              CUDA_SUCCESS);
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      restore(seed);
      EXPECT_FALSE(is_sorted_now());
      ASSERT_EQ(entry<decltype(cuGraphLaunch)>("cuGraphLaunch")(executable, raw()), CUDA_SUCCESS);
      EXPECT_TRUE(is_sorted_now());
    }
    EXPECT_EQ(entry<decltype(cuGraphExecDestroy)>("cuGraphExecDestroy")(executable), CUDA_SUCCESS);
    EXPECT_EQ(entry<decltype(cuGraphDestroy)>("cuGraphDestroy")(graph), CUDA_SUCCESS);
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<DeviceStream> stream;
  std::unique_ptr<DeviceBuffer> buffer;
  std::vector<std::byte> keys;
};

TEST_F(GpuSorterCapture, APreparedSortIsCapturedAndReplayed) {
  Sorter sorter({.device = "0", .database = "", .kernel_cache = ""});
  sorter.prepare(problem);
  capture_and_replay([&] { sorter.sort(buffer->data(), n, KeyType::u32, stream->handle()); });
}

TEST_F(GpuSorterCapture, SoIsOneInTheCallersWorkspace) {
  Sorter sorter({.device = "0", .database = "", .kernel_cache = ""});
  sorter.prepare(problem);
  const std::uint64_t bytes = sorter.workspace_size(problem);
  const auto workspace = device->allocate(bytes);
  Operands operands = packed_operands(problem, buffer->data());
  operands[Role::workspace] = {workspace->data(), bytes, 0};
  capture_and_replay([&] { sorter.run(problem, operands, stream->handle()); });
  for (std::uint64_t seed = 5; seed < 8; ++seed) {
    restore(seed);
    sorter.run(problem, operands, stream->handle());
    EXPECT_TRUE(is_sorted_now());
  }
}

TEST_F(GpuSorterCapture, TheDevicesGraphSortsAtEachLaunchAndNotBefore) {
  Sorter sorter({.device = "0", .database = "", .kernel_cache = ""});
  sorter.prepare(problem);
  const std::uint64_t bytes = sorter.workspace_size(problem);
  const auto workspace = device->allocate(bytes);
  Operands operands = packed_operands(problem, buffer->data());
  operands[Role::workspace] = {workspace->data(), bytes, 0};
  restore(1);
  const auto graph =
      device->capture(stream->handle(), [&] { sorter.run(problem, operands, stream->handle()); });
  ASSERT_NE(graph, nullptr);
  EXPECT_FALSE(is_sorted_now());
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    restore(seed);
    graph->launch(stream->handle());
    EXPECT_TRUE(is_sorted_now());
  }
}

TEST_F(GpuSorterCapture, ACaptureThatFailsLeavesTheStreamUsable) {
  Sorter sorter({.device = "0", .database = "", .kernel_cache = ""});
  try {
    static_cast<void>(device->capture(
        stream->handle(), [&] { sorter.sort(buffer->data(), n - 1, KeyType::u32, stream->handle()); }));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::capture) << error.what();
  }
  EXPECT_FALSE(device->is_capturing(stream->handle()));
  restore(1);
  sorter.sort(buffer->data(), n, KeyType::u32, stream->handle());
  EXPECT_TRUE(is_sorted_now());
}

TEST_F(GpuSorterCapture, AnUnpreparedSortThrowsAndLeavesTheCaptureValid) {
  Sorter sorter({.device = "0", .database = "", .kernel_cache = ""});
  ASSERT_EQ(
      entry<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2")(raw(), CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_SUCCESS);
  try {
    sorter.sort(buffer->data(), n, KeyType::u32, stream->handle());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::capture) << error.what();
  }
  CUgraph graph = nullptr;
  EXPECT_EQ(entry<decltype(cuStreamEndCapture)>("cuStreamEndCapture")(raw(), &graph), CUDA_SUCCESS);
  EXPECT_EQ(entry<decltype(cuGraphDestroy)>("cuGraphDestroy")(graph), CUDA_SUCCESS);

  restore(1);
  sorter.sort(buffer->data(), n, KeyType::u32, stream->handle());
  EXPECT_TRUE(is_sorted_now()) << "outside of the capture the same Sorter works";
}

}  // namespace
}  // namespace bitune
