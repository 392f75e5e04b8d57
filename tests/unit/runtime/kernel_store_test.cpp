#include "runtime/kernel_store.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/support/engine_calls.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

/// Counts compiles, and can be told to fail; images are the name expression itself.
class CountingCompiler final : public Compiler {
 public:
  [[nodiscard]] std::string identity() const override { return "counting"; }
  [[nodiscard]] KernelImage compile(const KernelSource& source, const std::stop_token&) const override {
    ++compiles;
    on_compile();
    build = build_once_opened;
    if (source.name_expression == "bad") throw Error(ErrorCode::compile, "kernel 'bad' does not compile");
    KernelImage image;
    image.target = "counting";
    image.lowered_name = source.name_expression;
    image.bytes = "good " + source.name_expression;
    image.registers = 7;
    return image;
  }
  [[nodiscard]] std::string digest(const KernelSource& source) const override {
    std::string digest(32, build);
    for (std::size_t i = 0; i < source.name_expression.size() && i < 16; ++i) {
      constexpr const char* hex = "0123456789abcdef";
      digest[2 * i] = hex[(source.name_expression[i] >> 4) & 15];
      digest[2 * i + 1] = hex[source.name_expression[i] & 15];
    }
    return digest;
  }
  [[nodiscard]] std::string archive_key(const KernelSource& source) const override {
    return "key of " + source.name_expression;
  }
  std::function<void()> on_compile = [] {};
  mutable std::atomic<int> compiles = 0;
  mutable std::atomic<char> build = '0';  ///< a digit of every digest
  char build_once_opened = '0';
};

class CountingKernel final : public LoadedKernel {
 public:
  [[nodiscard]] const KernelResources& resources() const noexcept override { return resources_; }
  KernelResources resources_{.registers = 7, .max_threads_per_block = 256};
};

/// Loads images that begin with "good", and remembers launches.
class CountingDevice final : public Device {
 public:
  CountingDevice() { info_.shared_bytes_per_block_optin = 1000; }
  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const DeviceSoftware& software() const noexcept override { return software_; }
  [[nodiscard]] const Compiler& compiler() const noexcept override { return counting; }
  [[nodiscard]] std::shared_ptr<LoadedKernel> load(const KernelImage& image) const override {
    ++loads;
    if (!has_memory) throw Error(ErrorCode::out_of_resources, "no memory to load an image");
    if (!image.bytes.starts_with("good")) throw Error(ErrorCode::device, "an image that does not load");
    return std::make_shared<CountingKernel>();
  }
  void launch(const LoadedKernel&, const Launch&, std::span<const std::uint64_t> arguments,
              Stream) const override {
    launches.emplace_back(arguments.begin(), arguments.end());
  }
  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t) const override { return nullptr; }
  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_async(std::size_t, Stream) const override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<HostBuffer> allocate_host(std::size_t) const override { return nullptr; }
  void copy_to_device(void*, const void*, std::size_t, Stream) const override {}
  void copy_to_host(void*, const void*, std::size_t, Stream) const override {}
  void copy_on_device(void*, const void*, std::size_t, Stream) const override {}
  void copy_rows_on_device(void* to, std::uint64_t, const void* from, std::uint64_t, std::size_t row_bytes,
                           std::uint64_t, Stream) const override {
    std::memcpy(to, from, row_bytes);  // of one row
  }
  void fill(void*, std::uint8_t, std::size_t, Stream) const override {}
  [[nodiscard]] std::unique_ptr<DeviceStream> create_stream() const override { return nullptr; }
  [[nodiscard]] std::unique_ptr<DeviceEvent> create_event() const override { return nullptr; }
  void record(DeviceEvent&, Stream) const override {}
  [[nodiscard]] bool has_passed(const DeviceEvent&) const override { return true; }
  [[nodiscard]] double elapsed_ms(const DeviceEvent&, const DeviceEvent&) const override { return 0; }
  void synchronize(Stream) const override {}
  [[nodiscard]] bool is_capturing(Stream) const override { return false; }
  [[nodiscard]] std::string describe() const override { return "counting device"; }

  CountingCompiler counting;
  mutable std::atomic<int> loads = 0;
  bool has_memory = true;
  mutable std::vector<std::vector<std::uint64_t>> launches;

 private:
  DeviceInfo info_;
  DeviceSoftware software_;
};

class KernelStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "bitune-store-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::shared_ptr<KernelCache> cache() const { return std::make_shared<KernelCache>(folder_); }

  fs::path folder_;
  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  const KernelSource source_{"kernels/x.cuh", "sort<1>"};
};

TEST_F(KernelStoreTest, TakesKernelsFromMemoryThenCacheThenCompiler) {
  device_->counting.on_compile = [begin = std::chrono::steady_clock::now()] {
    while (std::chrono::steady_clock::now() == begin) {
    }
  };
  KernelStore first(device_, cache());
  const StoredKernel compiled = first.get(source_);
  EXPECT_EQ(compiled.origin, KernelOrigin::compiled);
  EXPECT_GT(compiled.compile_ms, 0);
  const StoredKernel again = first.get(source_);
  EXPECT_EQ(again.origin, KernelOrigin::memory);
  EXPECT_EQ(again.compile_ms, 0);
  EXPECT_EQ(again.kernel, compiled.kernel);

  KernelStore second(device_, cache());
  EXPECT_EQ(second.get(source_).origin, KernelOrigin::cache);
  EXPECT_EQ(second.get({source_.header, "sort<2>"}).origin, KernelOrigin::compiled);
  EXPECT_EQ(device_->counting.compiles, 2);
}

TEST_F(KernelStoreTest, WorksWithoutACache) {
  KernelStore store(device_, nullptr);
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::compiled);
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::memory);
}

TEST_F(KernelStoreTest, MakesImagesWithoutTouchingTheDevice) {
  KernelStore store(device_, nullptr);
  KernelOrigin origin = KernelOrigin::memory;
  EXPECT_EQ(store.image(source_, &origin).registers, 7);
  EXPECT_EQ(origin, KernelOrigin::compiled);
  (void)store.image(source_, &origin);
  EXPECT_EQ(origin, KernelOrigin::memory);
  EXPECT_EQ(device_->loads, 0);
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::memory);
  EXPECT_EQ(device_->loads, 1);
  EXPECT_EQ(device_->counting.compiles, 1);
}

TEST_F(KernelStoreTest, CompilesOnceForSeveralThreads) {
  KernelStore store(device_, cache());
  std::vector<std::thread> threads;
  std::atomic<int> compiled = 0;
  std::latch begun(8);
  device_->counting.on_compile = [&begun] { begun.wait(); };
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      begun.count_down();
      if (i % 2 == 0) {
        compiled += store.get(source_).origin == KernelOrigin::compiled ? 1 : 0;
      } else {
        KernelOrigin origin = KernelOrigin::memory;
        (void)store.image(source_, &origin);
        compiled += origin == KernelOrigin::compiled ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(device_->counting.compiles, 1);
  EXPECT_EQ(device_->loads, 1);
}

TEST_F(KernelStoreTest, KeepsAKernelUnderTheDigestOfWhatCompiledIt) {
  const std::string remembered = device_->counting.digest(source_);
  device_->counting.build_once_opened = '1';
  EXPECT_EQ(KernelStore(device_, cache()).get(source_).origin, KernelOrigin::compiled);
  EXPECT_NE(device_->counting.digest(source_), remembered);
  EXPECT_EQ(cache()->find(remembered), std::nullopt);
  EXPECT_EQ(KernelStore(device_, cache()).get(source_).origin, KernelOrigin::cache);
}

TEST_F(KernelStoreTest, ReplacesACachedImageThatDoesNotLoad) {
  KernelImage unloadable;
  unloadable.target = "counting";
  unloadable.lowered_name = source_.name_expression;
  unloadable.bytes = "bad";
  cache()->store(device_->counting.digest(source_), unloadable);
  KernelStore store(device_, cache());
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::compiled);
  EXPECT_EQ(device_->loads, 2);
  KernelStore next(device_, cache());
  EXPECT_EQ(next.get(source_).origin, KernelOrigin::cache);
  EXPECT_EQ(device_->loads, 3);
}

/// A compiler makes no memory, and takes seconds to find that out.
TEST_F(KernelStoreTest, DoesNotCompileAnewWhatThereIsNoMemoryToLoad) {
  EXPECT_EQ(KernelStore(device_, cache()).get(source_).origin, KernelOrigin::compiled);
  KernelStore store(device_, cache());
  device_->has_memory = false;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(testing_support::code_of([&] { (void)store.get(source_); }), ErrorCode::out_of_resources);
  }
  EXPECT_EQ(device_->counting.compiles, 1);
  device_->has_memory = true;
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::cache);
}

TEST_F(KernelStoreTest, TakesShippedKernelsBeforeItCompiles) {
  KernelImage shipped;
  shipped.target = "counting";
  shipped.bytes = "good, and shipped";
  KernelImage unloadable = shipped;
  unloadable.bytes = "bad: of a newer compiler than this driver knows";
  const KernelSource other{source_.header, "sort<2>"};
  KernelArchive::write(folder_ / "k.kernels", {{"key of sort<1>", shipped}, {"key of sort<2>", unloadable}});
  const auto archive = std::make_shared<const KernelArchive>(folder_ / "k.kernels");
  KernelStore store(device_, cache(), archive);
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::shipped);
  EXPECT_EQ(store.get(source_).origin, KernelOrigin::memory);
  EXPECT_EQ(device_->counting.compiles, 0);
  EXPECT_EQ(cache()->statistics().files, 0) << "what is shipped need not be kept twice";

  EXPECT_EQ(store.get(other).origin, KernelOrigin::compiled) << "since it does not load";
  EXPECT_EQ(store.get({source_.header, "sort<3>"}).origin, KernelOrigin::compiled) << "since it is not there";
  EXPECT_EQ(KernelStore(device_, cache(), archive).get(other).origin, KernelOrigin::cache);
}

TEST_F(KernelStoreTest, ReplacesADamagedCacheFile) {
  { (void)KernelStore(device_, cache()).get(source_); }
  int damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file() || entry.file_size() < 40) continue;
    fs::resize_file(entry.path(), entry.file_size() - 3);
    ++damaged;
  }
  ASSERT_GT(damaged, 0);
  EXPECT_EQ(KernelStore(device_, cache()).get(source_).origin, KernelOrigin::compiled);
  EXPECT_EQ(KernelStore(device_, cache()).get(source_).origin, KernelOrigin::cache);
}

TEST_F(KernelStoreTest, TellsEveryCallerThatAKernelDoesNotCompile) {
  KernelStore store(device_, cache());
  for (int i = 0; i < 2; ++i) EXPECT_THROW((void)store.get({source_.header, "bad"}), Error);
  EXPECT_NO_THROW((void)store.get(source_));
}

TEST_F(KernelStoreTest, ResolvesArgumentsOfAPlan) {
  KernelStore store(device_, nullptr);
  Plan plan;
  plan.kernels = {source_};
  Launch launch;
  launch.arguments = {Argument::pointer_to(Role::keys_out, 16), Argument::pointer_to(Role::workspace, 8),
                      Argument::number32(3), Argument::number64(std::uint64_t{1} << 40)};
  plan.launches = {launch, Launch{}};
  const ExecutablePlan executable = make_executable(*device_, store, plan);
  EXPECT_EQ(executable.plan(), plan);
  Operands operands;
  operands[Role::keys_out] = {reinterpret_cast<void*>(0x1000), 1, 0};
  operands[Role::workspace] = {reinterpret_cast<void*>(0x2000), 1, 0};
  executable.run(operands, nullptr);
  ASSERT_EQ(device_->launches.size(), 2u);
  EXPECT_EQ(device_->launches[0], (std::vector<std::uint64_t>{0x1010, 0x2008, 3, std::uint64_t{1} << 40}));
  EXPECT_TRUE(device_->launches[1].empty());
}

TEST_F(KernelStoreTest, BeginsAPlanOtherwiseWhereTheInputIsElsewhere) {
  KernelStore store(device_, nullptr);
  Plan plan;
  plan.kernels = {source_};
  Launch launch;
  launch.arguments = {Argument::number32(1)};
  plan.launches = {launch, launch};
  launch.arguments = {Argument::pointer_to(Role::keys_in)};
  plan.first_from_input = launch;
  const ExecutablePlan executable = make_executable(*device_, store, plan);
  Operands operands;
  operands[Role::keys_out] = {reinterpret_cast<void*>(0x1000), 1, 0};
  executable.run(operands, nullptr);
  operands[Role::keys_in] = {reinterpret_cast<void*>(0x2000), 1, 0};
  executable.run(operands, nullptr);
  EXPECT_EQ(device_->launches, (std::vector<std::vector<std::uint64_t>>{{1}, {1}, {0x2000}, {1}}));
  plan.first_from_input->kernel = 1;
  EXPECT_THROW((void)make_executable(*device_, store, plan), Error);
}

TEST_F(KernelStoreTest, CopiesAnInputThatIsReadWhileItIsWritten) {
  KernelStore store(device_, nullptr);
  Plan plan;
  plan.kernels = {source_};
  Launch launch;
  launch.arguments = {Argument::pointer_to(Role::keys_in), Argument::pointer_to(Role::values_in)};
  plan.launches = {launch};
  plan.copied_in_place = {{Role::keys_in, 8, 2}, {Role::values_in, 16, 3}};
  const ExecutablePlan executable = make_executable(*device_, store, plan);
  std::array<char, 32> memory = {"keys values"};
  std::array<char, 20> workspace = {};
  const auto launched_with = [&](const Operands& operands) {
    device_->launches.clear();
    executable.run(operands, nullptr);
    const std::vector<std::uint64_t>& slots = device_->launches.at(0);
    return std::vector<const char*>{reinterpret_cast<const char*>(slots[0]),
                                    reinterpret_cast<const char*>(slots[1])};
  };
  Operands operands;
  operands[Role::keys_out] = {&memory[0], 2, 0};
  operands[Role::values_out] = {&memory[5], 3, 0};
  operands[Role::workspace] = {workspace.data(), workspace.size(), 0};
  EXPECT_EQ(launched_with(operands), (std::vector<const char*>{&workspace[8], &workspace[16]}));
  EXPECT_EQ(std::string(&workspace[8]) + std::string(&workspace[16]), "keval");
  operands[Role::keys_in] = {&memory[20], 2, 0};
  EXPECT_EQ(launched_with(operands), (std::vector<const char*>{&memory[20], &workspace[16]}));
  operands[Role::values_in] = {&memory[24], 3, 0};
  EXPECT_EQ(launched_with(operands), (std::vector<const char*>{&memory[20], &memory[24]}));
}

TEST_F(KernelStoreTest, RefusesPlansThatCannotRun) {
  KernelStore store(device_, nullptr);
  Plan plan;
  plan.kernels = {source_};
  const auto refuses = [&](const Launch& launch, ErrorCode code, const char* because) {
    plan.launches = {launch};
    try {
      (void)make_executable(*device_, store, plan);
      ADD_FAILURE() << "accepted: " << because;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << because;
      EXPECT_NE(std::string(error.what()).find(because), std::string::npos) << error.what();
    }
  };
  Launch launch;
  launch.block = {257, 1, 1};
  refuses(launch, ErrorCode::out_of_resources, "257 threads");
  launch.block = {128, 2, 1};
  launch.shared_bytes = 1001;
  refuses(launch, ErrorCode::out_of_resources, "1001 bytes of shared memory");
  launch.shared_bytes = 1000;
  launch.kernel = 1;
  refuses(launch, ErrorCode::device, "defect of the variant");
  launch.kernel = 0;
  launch.arguments.resize(max_kernel_arguments + 1);
  refuses(launch, ErrorCode::device, "defect of the variant");
}

TEST_F(KernelStoreTest, RunsAPlanOnTheEmulatedDevice) {
  const char* text = R"(#pragma once
#include "kernels/platform/platform.cuh"
namespace bitune {
BITUNE_KERNEL(32, 1) planted_fill(u32* out, u32 value, u64 n) {
  const u32 i = block_index() * block_size() + thread_index();
  if (i < n) out[i] = value + i;
}
}
)";
  const auto device = make_emulated_device({}, {{"planted/fill.cuh", text}});
  Plan plan;
  plan.kernels = {{"planted/fill.cuh", "bitune::planted_fill"}};
  Launch launch;
  launch.grid = {3, 1, 1};
  launch.block = {32, 1, 1};
  launch.arguments = {Argument::pointer_to(Role::keys_out, 4), Argument::number32(5), Argument::number64(70)};
  plan.launches = {launch};
  for (const KernelOrigin expected : {KernelOrigin::compiled, KernelOrigin::cache}) {
    KernelStore store(device, cache());
    EXPECT_EQ(store.get(plan.kernels.front()).origin, expected);
    const ExecutablePlan executable = make_executable(*device, store, plan);
    std::vector<unsigned> words(72, 0);
    Operands operands;
    operands[Role::keys_out] = {words.data(), words.size(), 0};
    executable.run(operands, nullptr);
    device->synchronize(nullptr);
    EXPECT_EQ(words[0], 0u);
    for (unsigned i = 0; i < 70; ++i) ASSERT_EQ(words[i + 1], 5 + i);
    EXPECT_EQ(words[71], 0u);
  }
}

}  // namespace
}  // namespace bitune
