// The emulated device as a Device: limits, memory, events, options, concurrent use.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/unit/runtime/emulated_support.hpp"

namespace bitune::test {
namespace {

using Data = std::vector<std::uint32_t>;

const char* const count_threads =
    "BITUNE_KERNEL(1024, 0) planted(u32* data, u64 n) { atomic_add(data, 1u); }";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Sets an environment variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(EmulatedDevice, RefusesLaunchesOverTheLimits) {
  EmulatedOptions options;
  options.sm_count = 2;
  options.shared_bytes_per_block = 4096;
  options.max_threads_per_block = 128;
  options.max_cluster_size = 4;
  PlantedKernel kernel(count_threads, options);
  const auto failure = [&](const Launch& launch) { return kernel.failure(Data(1, 0), launch); };

  EXPECT_EQ(failure(launch_of(5, 128, 4096)), "");
  EXPECT_EQ(failure(launch_of(1, 129)),
            "The emulated device refuses to launch the kernel bitune::planted: it needs blocks of 129 "
            "threads where 128 are the most.");
  EXPECT_TRUE(contains(failure(launch_of(1, 0)), "its blocks have no threads"));
  EXPECT_TRUE(contains(failure(launch_of(0, 32)), "0 blocks"));
  EXPECT_TRUE(contains(failure(launch_of(1, 32, 4097)), "4097 bytes of shared memory a block where 4096"));

  Launch launch = launch_of(8, 32);
  launch.cluster = 4;
  EXPECT_EQ(failure(launch), "");
  launch.cluster = 8;
  EXPECT_TRUE(contains(failure(launch), "clusters of 8 blocks where 4"));
  launch.cluster = 3;
  EXPECT_TRUE(contains(failure(launch), "8 blocks cannot be divided into clusters of 3"));

  launch = launch_of(1, 32);
  launch.block[1] = 2;
  EXPECT_TRUE(contains(failure(launch), "along y or z"));
}

TEST(EmulatedDevice, RefusesAWrongNumberOfArguments) {
  PlantedKernel kernel(count_threads);
  EXPECT_THROW(kernel.device().launch(kernel.kernel(), launch_of(1, 1), {}, nullptr), Error);
}

// As a variant would whose plan has an argument of the wrong width: the kernel would read half of it.
TEST(EmulatedDevice, RefusesArgumentsOfOtherKindsThanTheParameters) {
  PlantedKernel kernel("BITUNE_KERNEL(1, 0) planted(u32* to, u32 low, u64 high) { *to = low + u32(high); }");
  std::uint32_t result = 0;
  const std::vector<std::uint64_t> slots = {reinterpret_cast<std::uint64_t>(&result), 3, 4};
  const Argument pointer = Argument::pointer_to(Role::keys_out);
  Launch launch = launch_of(1, 1);
  launch.arguments = {pointer, Argument::number32(3), Argument::stride_of(Role::keys_out)};
  kernel.device().launch(kernel.kernel(), launch, slots, nullptr);
  EXPECT_EQ(result, 7u);
  launch.arguments = {pointer, Argument::number64(3), Argument::number64(4)};
  EXPECT_THROW(kernel.device().launch(kernel.kernel(), launch, slots, nullptr), Error);
  launch.arguments = {pointer, Argument::number32(3), pointer};
  EXPECT_THROW(kernel.device().launch(kernel.kernel(), launch, slots, nullptr), Error);
}

TEST(EmulatedDevice, ArgumentsTakeTheTypesOfTheParameters) {
  PlantedKernel kernel(
      "template <u32 base> BITUNE_KERNEL(1, 0) planted(u64* to, u32 low, u64 high, u8 small, u32 last) {"
      "  *to = (high << 32) + low + base + small + last; }",
      {}, "bitune::planted<1000>");
  std::uint64_t result = 0;
  const std::vector<std::uint64_t> arguments = {reinterpret_cast<std::uint64_t>(&result), 0xffffffff00000001u,
                                                5, 0x102, 3};
  kernel.device().launch(kernel.kernel(), launch_of(1, 1), arguments, nullptr);
  EXPECT_EQ(result, (std::uint64_t{5} << 32) + 1 + 1000 + 2 + 3);
}

TEST(EmulatedDevice, SmallerWarps) {
  EmulatedOptions options;
  options.warp_size = 8;
  PlantedKernel kernel(
      "BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {"
      "  data[thread_index()] = 100 * warp_index() + 10 * lane() + shuffle(lane(), 9); }",
      options);
  EXPECT_EQ(kernel.device().info().warp_size, 8);
  const Data result = kernel.run(Data(16, 0), launch_of(1, 16));
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(result[i], 100 * (i / 8) + 10 * (i % 8) + 1);
}

TEST(EmulatedDevice, SaysWhatItIs) {
  const auto device = make_emulated_device(EmulatedOptions{});
  EXPECT_EQ(device->info().kind, "emulated");
  EXPECT_EQ(device->info().compute_capability(), 90);
  EXPECT_EQ(device->info().shared_bytes_per_block_optin, 227 * 1024);
  EXPECT_EQ(device->software().uuid, "emulated");
  EXPECT_NE(device->software().compiler, "none");
  EXPECT_EQ(device->describe(), "emulated device");
  EXPECT_FALSE(device->is_capturing(nullptr));
}

TEST(EmulatedDevice, CopiesFillsAndTimes) {
  const auto device = make_emulated_device(EmulatedOptions{});
  const auto stream = device->create_stream();
  const auto memory = device->allocate_async(16, stream->handle());
  const auto host = device->allocate_host(16);
  EXPECT_EQ(memory->size(), 16u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 256, 0u);
  auto* bytes = static_cast<std::uint8_t*>(memory->data());

  const auto begin = device->create_event();
  const auto end = device->create_event();
  using Clock = std::chrono::steady_clock;
  const auto before = Clock::now();
  device->record(*begin, stream->handle());
  const auto after_begin = Clock::now();
  device->fill(bytes, 7, 16, stream->handle());
  device->copy_on_device(bytes + 1, bytes, 0, stream->handle());
  const std::uint32_t word = 0x01020304;
  device->copy_to_device(bytes, &word, 4, stream->handle());
  device->copy_on_device(bytes + 2, bytes, 4, stream->handle());  // overlapping
  device->copy_to_host(host->data(), bytes, 16, stream->handle());
  const auto before_end = Clock::now();
  device->record(*end, stream->handle());
  const auto after = Clock::now();
  device->synchronize(stream->handle());

  const Data expected = {0x03040304, 0x07070102, 0x07070707, 0x07070707};
  EXPECT_EQ(std::memcmp(host->data(), expected.data(), 16), 0);
  const double ms = device->elapsed_ms(*begin, *end);
  const auto in_ms = [](Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  EXPECT_GE(ms, in_ms(before_end - after_begin));
  EXPECT_LE(ms, in_ms(after - before));
}

TEST(EmulatedDevice, RefusesMoreMemoryThanThereIs) {
  const auto device = make_emulated_device(EmulatedOptions{});
  EXPECT_THROW((void)device->allocate(std::size_t{1} << 62), Error);
  EXPECT_THROW((void)device->allocate(static_cast<std::size_t>(device->info().memory_bytes) + 1), Error);

  EmulatedOptions options;
  options.memory_bytes = 1000;
  const auto small = make_emulated_device(options);
  EXPECT_EQ(small->info().memory_bytes, 1000);
  EXPECT_EQ(small->allocate(1000)->size(), 1000u);
  try {
    (void)small->allocate(1001);
    ADD_FAILURE() << "it gave more memory than it has";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources) << "as a GPU says";
  }
  options.memory_bytes = 0;
  EXPECT_THROW((void)make_emulated_device(options), Error);
}

TEST(EmulatedDevice, SeveralThreadsLaunchAtOnce) {
  PlantedKernel kernel(
      "BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {"
      "  sync_block(); atomic_add(data, shuffle_xor(lane(), 1)); sync_block(); }");
  std::vector<std::thread> threads;
  std::vector<std::uint32_t> sums(4);
  for (std::uint32_t& sum : sums) {
    threads.emplace_back([&kernel, &sum] {
      for (int i = 0; i < 25; ++i) sum += kernel.run(Data(1, 0), launch_of(4, 64))[0];
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint32_t sum : sums) EXPECT_EQ(sum, 25u * 4 * 2 * (31 * 16));
}

TEST(EmulatedOptions, ComeFromTheEnvironment) {
  EXPECT_FALSE(EmulatedOptions::from_environment().seed.has_value());
  const Variable seed("BITUNE_EMULATOR_SEED", "42");
  const Variable sms("BITUNE_EMULATOR_SMS", "7");
  const Variable shared("BITUNE_EMULATOR_SHARED_BYTES", "65536");
  const Variable threads("BITUNE_EMULATOR_THREADS", "3");
  const EmulatedOptions options = EmulatedOptions::from_environment();
  EXPECT_EQ(options.seed, 42u);
  EXPECT_EQ(options.sm_count, 7);
  EXPECT_EQ(options.shared_bytes_per_block, 65536);
  EXPECT_EQ(options.host_threads, 3);
  EXPECT_EQ(make_emulated_device(options)->info().sm_count, 7);
}

TEST(EmulatedOptions, RefuseWhatMakesNoSense) {
  for (const char* wrong : {"x", "1x", "-1", "0", "2000", "1.5", " 4"}) {
    const Variable sms("BITUNE_EMULATOR_SMS", wrong);
    try {
      (void)EmulatedOptions::from_environment();
      FAIL() << "took " << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_TRUE(contains(error.what(), "BITUNE_EMULATOR_SMS")) << error.what();
    }
  }
  EmulatedOptions options;
  options.warp_size = 24;
  EXPECT_THROW((void)make_emulated_device(options), Error);
  options.warp_size = 64;
  EXPECT_THROW((void)make_emulated_device(options), Error);
}

}  // namespace
}  // namespace bitune::test
