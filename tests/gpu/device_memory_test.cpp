// Memory, streams, events and contexts of a GPU.

#include <atomic>
#include <numeric>
#include <thread>

#include "tests/gpu/device_fixture.hpp"

namespace bitune::cuda {
namespace {

/// Entry points that only tests need, typed by cuda.h.
template <class Function>
Function* entry(const char* name) {
  auto* function = reinterpret_cast<Function*>(driver().library.symbol(name));
  EXPECT_NE(function, nullptr) << name;
  return function;
}

class GpuMemory : public GpuTest {};

TEST_F(GpuMemory, HasPlausibleProperties) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.compute_capability(), 75);
  EXPECT_GT(info.sm_count, 0);
  EXPECT_EQ(info.warp_size, 32);
  EXPECT_EQ(info.max_threads_per_block, 1024);
  EXPECT_GE(info.shared_bytes_per_block_optin, info.shared_bytes_per_block);
  EXPECT_GE(info.shared_bytes_per_sm, info.shared_bytes_per_block_optin);
  EXPECT_GT(info.l2_bytes, 1 << 20);
  EXPECT_GT(info.memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(info.max_cluster_size, info.compute_major >= 9 ? 8 : 1);
  EXPECT_EQ(device_->software().uuid.size(), 40u) << device_->software().uuid;
  EXPECT_NE(device_->software().driver.find("CUDA "), std::string::npos);
  EXPECT_NE(device_->software().compiler.find("nvrtc "), std::string::npos);
  EXPECT_NE(device_->describe().find("GPU 0"), std::string::npos);
  const auto gpus = list_gpus("nvrtc");
  ASSERT_FALSE(gpus.empty());
  EXPECT_EQ(gpus.front().info, info);
  EXPECT_EQ(gpus.front().software.uuid, device_->software().uuid);
}

TEST_F(GpuMemory, CopiesBothWaysAndOnTheDevice) {
  constexpr std::size_t count = 1 << 20;
  const auto host = device_->allocate_host(count * sizeof(unsigned));
  auto* words = reinterpret_cast<unsigned*>(host->data());
  std::iota(words, words + count, 17u);
  const auto first = device_->allocate(count * sizeof(unsigned));
  const auto second = device_->allocate(count * sizeof(unsigned));
  const auto stream = device_->create_stream();
  device_->copy_to_device(first->data(), words, first->size(), stream->handle());
  device_->copy_on_device(second->data(), first->data(), first->size(), stream->handle());
  const std::vector<unsigned> values = read(second->data(), count, stream->handle());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), words));
}

TEST_F(GpuMemory, AllocatesNothingForZeroBytes) {
  EXPECT_EQ(device_->allocate(0)->data(), nullptr);
  EXPECT_EQ(device_->allocate_async(0, nullptr)->size(), 0u);
  EXPECT_EQ(device_->allocate_host(0)->data(), nullptr);
  EXPECT_NO_THROW(device_->copy_to_device(nullptr, nullptr, 0, nullptr));
}

TEST_F(GpuMemory, SaysHowMuchItCouldNotAllocate) {
  const auto bytes = static_cast<std::size_t>(device_->info().memory_bytes) * 2;
  const std::string error =
      device_error([&] { (void)device_->allocate(bytes); }, ErrorCode::out_of_resources);
  EXPECT_NE(error.find(std::to_string(bytes)), std::string::npos) << error;
  EXPECT_NE(error.find("OUT_OF_MEMORY"), std::string::npos) << error;
  const auto stream = device_->create_stream();
  (void)device_error([&] { (void)device_->allocate_async(bytes, stream->handle()); },
                     ErrorCode::out_of_resources);
  EXPECT_FALSE(device_->is_lost());
}

TEST_F(GpuMemory, AllocatesInStreamOrder) {
  const auto stream = device_->create_stream();
  for (int round = 0; round < 10; ++round) {
    const auto buffer = device_->allocate_async(1 << 20, stream->handle());
    device_->fill(buffer->data(), static_cast<std::uint8_t>(round), buffer->size(), stream->handle());
    EXPECT_EQ(read(buffer->data(), 1, stream->handle()).front(), static_cast<unsigned>(round) * 0x01010101u);
  }
}

TEST_F(GpuMemory, BuffersOutliveTheirDevice) {
  auto buffer = device_->allocate_async(4096, nullptr);
  auto plain = device_->allocate(4096);
  device_.reset();
  EXPECT_NE(buffer->data(), nullptr);
  EXPECT_NO_THROW(buffer.reset());
  EXPECT_NO_THROW(plain.reset());
}

TEST_F(GpuMemory, TimesWorkBetweenEvents) {
  const auto kernel = load("spin");
  const auto stream = device_->create_stream();
  const auto begin = device_->create_event();
  const auto middle = device_->create_event();
  const auto end = device_->create_event();
  const auto spin = [&](std::uint64_t clocks) {
    device_->launch(*kernel, launch_of(1, 1), std::vector<std::uint64_t>{clocks}, stream->handle());
  };
  constexpr double most_clocks_per_ms = 10e6;  // no GPU runs at 10 GHz
  device_->record(*begin, stream->handle());
  spin(1'000'000);
  device_->record(*middle, stream->handle());
  spin(20'000'000);
  device_->record(*end, stream->handle());
  device_->synchronize(stream->handle());
  const double first = device_->elapsed_ms(*begin, *middle);
  const double second = device_->elapsed_ms(*middle, *end);
  EXPECT_GE(first, 1e6 / most_clocks_per_ms);
  EXPECT_GE(second, 20e6 / most_clocks_per_ms);
  const double both = device_->elapsed_ms(*begin, *end);
  EXPECT_NEAR(both, first + second, 0.01 + both / 1000) << "milliseconds, and the same ones";
}

TEST_F(GpuMemory, KnowsWhetherAStreamIsBeingCaptured) {
  const auto begin = entry<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
  const auto end = entry<decltype(cuStreamEndCapture)>("cuStreamEndCapture");
  const auto destroy = entry<decltype(cuGraphDestroy)>("cuGraphDestroy");
  const auto kernel = load("add");
  const auto buffer = device_->allocate(4);
  const auto stream = device_->create_stream();
  auto* raw = static_cast<CUstream>(stream->handle());
  EXPECT_FALSE(device_->is_capturing(stream->handle()));
  EXPECT_FALSE(device_->is_capturing(nullptr));

  ASSERT_EQ(begin(raw, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_TRUE(device_->is_capturing(stream->handle()));
  device_->launch(*kernel, launch_of(1, 32), std::vector<std::uint64_t>{slot(buffer->data()), 0, 5, 1},
                  stream->handle());
  CUgraph graph = nullptr;
  ASSERT_EQ(end(raw, &graph), CUDA_SUCCESS);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(destroy(graph), CUDA_SUCCESS);
  EXPECT_FALSE(device_->is_capturing(stream->handle()));
}

TEST_F(GpuMemory, CapturesAKernelThatWasNeverLaunched) {
  const auto begin = entry<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
  const auto end = entry<decltype(cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = entry<decltype(cuGraphInstantiate)>("cuGraphInstantiateWithFlags");
  const auto launch_graph = entry<decltype(cuGraphLaunch)>("cuGraphLaunch");
  const auto kernel = load("add");  // and nothing more: lazy loading must not reach into the capture
  const auto buffer = device_->allocate(4);
  device_->fill(buffer->data(), 0, 4, nullptr);
  device_->synchronize(nullptr);
  const auto stream = device_->create_stream();
  auto* raw = static_cast<CUstream>(stream->handle());
  ASSERT_EQ(begin(raw, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  device_->launch(*kernel, launch_of(1, 32), std::vector<std::uint64_t>{slot(buffer->data()), 0, 5, 1},
                  stream->handle());
  CUgraph graph = nullptr;
  ASSERT_EQ(end(raw, &graph), CUDA_SUCCESS);
  const auto push = driver().cuCtxPushCurrent;
  const auto pop = driver().cuCtxPopCurrent;
  CUcontext primary = nullptr;
  ASSERT_EQ(driver().cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  ASSERT_EQ(push(primary), CUDA_SUCCESS);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(instantiate(&executable, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(launch_graph(executable, raw), CUDA_SUCCESS);
  CUcontext popped = nullptr;
  ASSERT_EQ(pop(&popped), CUDA_SUCCESS);
  EXPECT_EQ(read(buffer->data(), 1, stream->handle()).front(), 15u);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

TEST_F(GpuMemory, LeavesNoContextCurrentAndUsesTheOneThatIs) {
  EXPECT_EQ(current_gpu(), -1);
  (void)device_->allocate(16);
  EXPECT_EQ(current_gpu(), -1);

  // CUDA 11's form of the function, which every later driver also has.
  using Create = CUresult(CUcontext*, unsigned, CUdevice);
  const auto create = entry<Create>("cuCtxCreate_v2");
  const auto destroy = entry<decltype(cuCtxDestroy)>("cuCtxDestroy_v2");
  const auto kernel = load("add");  // in the primary context; it must run in the other one too
  CUcontext other = nullptr;
  ASSERT_EQ(create(&other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(current_gpu(), 0);
  {
    const auto stream = device_->create_stream();
    const auto buffer = device_->allocate(4);
    device_->fill(buffer->data(), 0, 4, stream->handle());
    device_->launch(*kernel, launch_of(1, 32), std::vector<std::uint64_t>{slot(buffer->data()), 0, 5, 1},
                    stream->handle());
    EXPECT_EQ(read(buffer->data(), 1, stream->handle()).front(), 5u);
    const auto ordered = device_->allocate_async(1024, stream->handle());
    device_->fill(ordered->data(), 1, 1024, stream->handle());
    EXPECT_EQ(read(ordered->data(), 1, stream->handle()).front(), 0x01010101u);
  }
  CUcontext now = nullptr;
  ASSERT_EQ(driver().cuCtxGetCurrent(&now), CUDA_SUCCESS);
  EXPECT_EQ(now, other);
  EXPECT_EQ(destroy(other), CUDA_SUCCESS);
}

TEST_F(GpuMemory, ServesSeveralThreadsAtOnce) {
  const auto kernel = load("add");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      const auto stream = device_->create_stream();
      for (int round = 0; round < 50; ++round) {
        const auto buffer = device_->allocate_async(1024 * 4, stream->handle());
        device_->fill(buffer->data(), 0, buffer->size(), stream->handle());
        device_->launch(*kernel, launch_of(4, 256),
                        std::vector<std::uint64_t>{slot(buffer->data()), 0, id, 1024}, stream->handle());
        const std::vector<unsigned> values = read(buffer->data(), 1024, stream->handle());
        for (unsigned i = 0; i < 1024; ++i) wrong += values[i] != id + i ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace bitune::cuda
