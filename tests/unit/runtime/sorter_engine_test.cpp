#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <latch>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_order.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/engine_calls.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace engine_test {
namespace {

using testing_support::code_of;
using testing_support::sort_keys;

const fake::Variant in_place("in_place");
const fake::Variant with_workspace("with_workspace", 4096);
const std::array<const Variant*, 1> one_variant = {&in_place};
const std::array<const Variant*, 1> workspace_variant = {&with_workspace};

Problem u32(std::uint64_t n) { return {{.key = KeyType::u32}, {.n = n}}; }

std::vector<std::uint32_t> random_keys(std::size_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> keys(n);
  std::generate(keys.begin(), keys.end(), std::ref(random));
  return keys;
}

class SortEngineTest : public testing::Test {
 protected:
  std::unique_ptr<SortEngine> make(std::span<const Variant* const> variants = one_variant,
                                   std::size_t capacity = 16) {
    return std::make_unique<SortEngine>(
        device, nullptr,
        [this](const Problem&, std::string* warning) {
          ++reads;
          *warning = "the database is not there";
          return CandidateSet{};
        },
        variants, "a note", Preparation{.capacity = capacity, .shipped_kernels = nullptr, .patience = {}});
  }

  std::shared_ptr<fake::Device> device = std::make_shared<fake::Device>();
  std::atomic<int> reads{0};
};

TEST_F(SortEngineTest, SortsDeviceMemory) {
  const auto engine = make();
  for (const KeyType key : {KeyType::u32, KeyType::i32, KeyType::f32}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      auto keys = random_keys(1000);
      sort_keys(*engine, keys.data(), {{.key = key, .order = order}, {.n = keys.size()}});
      EXPECT_TRUE(is_sorted(keys.data(), keys.size(), key, order));
    }
  }
}

TEST_F(SortEngineTest, PreparesOnceAndReadsTheDatabaseOnceAWidth) {
  const auto engine = make();
  auto keys = random_keys(64);
  for (int i = 0; i < 3; ++i) sort_keys(*engine, keys.data(), u32(64));
  sort_keys(*engine, keys.data(), u32(63));
  sort_keys(*engine, keys.data(), {{.key = KeyType::f32}, {.n = 64}});
  EXPECT_EQ(device->launches, 5);
  EXPECT_EQ(device->fake_compiler.compiles, 2) << "one kernel serves all sizes of a key type";
  EXPECT_EQ(reads, 1);
  sort_keys(*engine, keys.data(), {{.key = KeyType::u16}, {.n = 64}});
  EXPECT_EQ(reads, 2);
}

TEST_F(SortEngineTest, DoesNothingForFewerThanTwoKeys) {
  const auto engine = make();
  sort_keys(*engine, nullptr, u32(0));
  sort_keys(*engine, nullptr, u32(1));
  EXPECT_EQ(engine->prepare(u32(1)), nullptr);
  EXPECT_EQ(engine->sort_host(nullptr, u32(1)).total_us, 0);
  EXPECT_EQ(engine->workspace_size(u32(1)), 0u);
  EXPECT_EQ(device->launches + device->streams + reads, 0);
}

TEST_F(SortEngineTest, RefusesNullAndMisalignedKeys) {
  const auto engine = make();
  std::array<std::uint64_t, 8> memory{};
  auto* bytes = reinterpret_cast<std::byte*>(memory.data());
  std::string sentence;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, nullptr, u32(8)); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { sort_keys(*engine, bytes + 2, u32(8)); }, &sentence), ErrorCode::usage);
  EXPECT_NE(sentence.find("not aligned to 4 bytes"), std::string::npos) << sentence;
  EXPECT_EQ(code_of([&] { static_cast<void>(engine->sort_host(bytes + 1, u32(8))); }), ErrorCode::usage);
  sort_keys(*engine, bytes + 4, u32(8));
  sort_keys(*engine, bytes + 1, {{.key = KeyType::u8}, {.n = 8}});
  EXPECT_EQ(device->launches, 2);
}

TEST_F(SortEngineTest, RefusesMoreBytesThanThereAre) {
  const auto engine = make();
  std::uint32_t key = 0;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, &key, u32(~std::uint64_t{0})); }), ErrorCode::usage);
}

/// Sorts 1000 keys of the engine, which prefers a variant that the device has no room for, and expects that
/// the next one has sorted them, and that it is told why.
void expect_the_next_to_sort(SortEngine& engine, std::string_view because) {
  auto keys = random_keys(1000);
  sort_keys(engine, keys.data(), u32(1000));
  EXPECT_TRUE(is_sorted(keys.data(), keys.size(), KeyType::u32, Order::ascending));
  const Explanation explanation = engine.explain(u32(1000));
  EXPECT_EQ(explanation.configuration, "with_workspace(tile=1)");
  EXPECT_NE(explanation.reason.find("preferred(tile=1) is left out: "), std::string::npos)
      << explanation.reason;
  EXPECT_NE(explanation.reason.find(because), std::string::npos) << explanation.reason;
}

TEST_F(SortEngineTest, TakesWhatIsNextWhereTheDeviceHasNoRoomForALaunch) {
  const fake::Variant preferred("preferred", 8192, true, true);
  const std::array<const Variant*, 2> variants = {&with_workspace, &preferred};
  device->refuses = [](const Launch& launch) {
    return launch.arguments.back().role == Role::keys_in;  // as the preferred one has
  };
  const auto engine = make(variants);
  expect_the_next_to_sort(*engine, "needs more than the fake device has");
  EXPECT_EQ(engine->workspace_size(u32(1000)), 4096u);

  device->refuses = [](const Launch&) { return true; };
  auto keys = random_keys(999);
  std::string sentence;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(999)); }, &sentence),
            ErrorCode::out_of_resources);
  EXPECT_NE(sentence.find("needs more than the fake device has"), std::string::npos) << sentence;
}

TEST_F(SortEngineTest, SortsAsSoonAsThereIsMemoryAgain) {
  const auto engine = make(workspace_variant);
  device->most_bytes = 1;
  auto keys = random_keys(1000);
  std::string sentence;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(1000)); }, &sentence),
            ErrorCode::out_of_resources);
  EXPECT_NE(sentence.find("no such memory"), std::string::npos) << sentence;
  EXPECT_EQ(device->fake_compiler.compiles, 0) << "whose kernels would have nothing to work in";
  device->most_bytes = 1 << 20;
  sort_keys(*engine, keys.data(), u32(1000));
  EXPECT_TRUE(is_sorted(keys.data(), keys.size(), KeyType::u32, Order::ascending));
}

/// Other kernels have no room either: to compile them would only take time.
TEST_F(SortEngineTest, SaysAtOnceThatThereIsNoMemoryForCode) {
  const fake::Variant preferred("preferred", 8192, true, true);
  const std::array<const Variant*, 2> variants = {&with_workspace, &preferred};
  const auto engine = make(variants);
  device->has_memory_for_code = false;
  auto keys = random_keys(1000);
  std::string sentence;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(1000)); }, &sentence),
            ErrorCode::out_of_resources);
  EXPECT_NE(sentence.find("no memory for code"), std::string::npos) << sentence;
  EXPECT_EQ(device->fake_compiler.compiles, 1);
  device->has_memory_for_code = true;
  sort_keys(*engine, keys.data(), u32(1000));
  EXPECT_TRUE(is_sorted(keys.data(), keys.size(), KeyType::u32, Order::ascending));
  EXPECT_EQ(device->fake_compiler.compiles, 1) << "the preferred one, which was compiled before";
}

TEST_F(SortEngineTest, TakesWhatIsNextWhereTheDeviceHasNoRoomForTheWorkspace) {
  const fake::Variant preferred("preferred", 8192, true, true);
  const std::array<const Variant*, 2> variants = {&with_workspace, &preferred};
  device->most_bytes = 4096;
  expect_the_next_to_sort(*make(variants), "is left out: the fake device has no such memory");
}

TEST_F(SortEngineTest, PreparesBeforeItTellsTheWorkspaceWhereOnlyTheDeviceKnowsWhatFits) {
  const auto engine = make(workspace_variant);
  static_cast<void>(engine->workspace_size(u32(64)));
  EXPECT_EQ(device->fake_compiler.compiles, 0) << "facts are enough";

  fake::Variant large("large", 8192, true, true);
  large.cluster = 16;
  const std::array<const Variant*, 2> variants = {&with_workspace, &large};
  device->refuses = [](const Launch& launch) { return launch.cluster > 8; };
  EXPECT_EQ(make(variants)->workspace_size(u32(64)), 4096u);
}

TEST_F(SortEngineTest, CapturesOnlyWhatIsPrepared) {
  const auto engine = make();
  auto keys = random_keys(64);
  device->capturing = true;
  std::string sentence;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(64)); }, &sentence), ErrorCode::capture);
  EXPECT_NE(sentence.find("call prepare()"), std::string::npos) << sentence;
  EXPECT_EQ(device->fake_compiler.compiles + device->launches, 0) << "nothing may happen inside a capture";

  device->capturing = false;
  static_cast<void>(engine->prepare(u32(64)));
  device->capturing = true;
  sort_keys(*engine, keys.data(), u32(64));
  EXPECT_EQ(device->launches, 1);
}

TEST_F(SortEngineTest, AllocatesTheWorkspaceInACaptureToo) {
  const auto engine = make(workspace_variant);
  auto keys = random_keys(64);
  EXPECT_EQ(engine->workspace_size(u32(64)), 4096u);
  sort_keys(*engine, keys.data(), u32(64));
  EXPECT_EQ(device->allocations, 2) << "one when it is prepared, one for the sort";
  EXPECT_EQ(engine->workspace_size(u32(64)), 4096u) << "of the prepared problem, too";
  device->capturing = true;
  sort_keys(*engine, keys.data(), u32(64));
  EXPECT_EQ(device->allocations, 3) << "the graph's own";
  EXPECT_EQ(device->launches, 2);
}

TEST_F(SortEngineTest, TakesTheWorkspaceThatItIsGiven) {
  const auto engine = make(workspace_variant);
  static_cast<void>(engine->prepare(u32(64)));
  const int before = device->allocations;
  auto keys = random_keys(64);
  alignas(256) static std::array<std::byte, 4096 + 256> memory;
  const auto sort = [&](std::size_t offset, std::uint64_t bytes) {
    Operands operands = packed_operands(u32(64), keys.data());
    operands[Role::workspace] = {memory.data() + offset, bytes, 0};
    engine->run(u32(64), operands, nullptr);
  };
  sort(0, 4096);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(device->allocations, before);

  std::string sentence;
  EXPECT_EQ(code_of([&] { sort(0, 4095); }, &sentence), ErrorCode::usage);
  EXPECT_NE(sentence.find("4096 bytes of workspace, and 4095 were given"), std::string::npos) << sentence;
  EXPECT_EQ(code_of([&] { sort(16, 4096); }, &sentence), ErrorCode::usage);
  EXPECT_NE(sentence.find("not aligned to 256 bytes"), std::string::npos) << sentence;
  EXPECT_EQ(device->launches, 1);
}

TEST_F(SortEngineTest, TriesAgainAfterAFailedCompilation) {
  const auto engine = make();
  auto keys = random_keys(64);
  device->fake_compiler.fail = true;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(64)); }), ErrorCode::compile);
  device->fake_compiler.fail = false;
  sort_keys(*engine, keys.data(), u32(64));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST_F(SortEngineTest, ManyThreadsCompileOnceAndSortRight) {
  const auto engine = make();
  std::latch begun(8);
  device->fake_compiler.on_compile = [&begun] { begun.wait(); };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      begun.count_down();
      for (std::size_t n = 60; n < 70; ++n) {
        auto keys = random_keys(n, t);
        sort_keys(*engine, keys.data(), u32(n));
        if (!std::is_sorted(keys.begin(), keys.end())) ++wrong;
        keys = random_keys(n, t + 100);
        static_cast<void>(engine->sort_host(keys.data(), u32(n)));
        if (!std::is_sorted(keys.begin(), keys.end())) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(device->fake_compiler.compiles, 1);
  EXPECT_EQ(reads, 1);
}

TEST_F(SortEngineTest, ForgetsTheOldestProblemsButNotTheirKernels) {
  const auto engine = make(one_variant, 4);
  auto keys = random_keys(64);
  for (std::uint64_t n = 2; n < 64; ++n) sort_keys(*engine, keys.data(), u32(n));
  EXPECT_EQ(device->fake_compiler.compiles, 1);
  device->capturing = true;
  EXPECT_EQ(code_of([&] { sort_keys(*engine, keys.data(), u32(2)); }), ErrorCode::capture);
  sort_keys(*engine, keys.data(), u32(63));
}

TEST_F(SortEngineTest, ExplainsWithoutCompiling) {
  const auto engine = make();
  const Explanation before = engine->explain(u32(64));
  EXPECT_EQ(before.configuration, "in_place(tile=1)");
  EXPECT_EQ(before.match, "default");
  EXPECT_EQ(before.expected_us, std::nullopt);
  EXPECT_NE(before.reason.find("; the database is not there; a note"), std::string::npos) << before.reason;
  EXPECT_EQ(before.launches, std::vector<std::string>{"u32 ascending grid=1 block=1 shared=0"});
  EXPECT_EQ(device->fake_compiler.compiles, 0);
  EXPECT_EQ(before.compiled_kernels, 0);
  static_cast<void>(engine->prepare(u32(64)));
  EXPECT_EQ(engine->explain(u32(64)).reason, before.reason);
  EXPECT_EQ(engine->explain(u32(64)).compiled_kernels, 1);
  static_cast<void>(engine->prepare(u32(63)));
  EXPECT_EQ(engine->explain(u32(63)).compiled_kernels, 0) << "the kernel of 64 keys serves";
}

class HostSortTest : public testing::TestWithParam<std::size_t> {};

TEST_P(HostSortTest, SortsArraysOfAnyNumberOfChunks) {
  const auto device = std::make_shared<fake::Device>();
  HostSort host_sort(device, 1024);
  auto keys = random_keys(GetParam());
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const HostSortTimes times = host_sort.run(keys.data(), keys.size() * 4, [&](void* on_device, Stream) {
    reference_sort(on_device, keys.size(), KeyType::u32, Order::ascending);
  });
  EXPECT_EQ(keys, expected);
  EXPECT_GT(times.host_to_device_us, 0);
  EXPECT_GT(times.kernels_us, 0);
  EXPECT_GT(times.device_to_host_us, 0);
  EXPECT_GE(times.total_us, times.host_to_device_us + times.kernels_us + times.device_to_host_us);
}

INSTANTIATE_TEST_SUITE_P(Lengths, HostSortTest, testing::Values(2, 255, 256, 257, 512, 513, 1000, 10000));

/// An array in pieces of odd lengths, carried by several threads.
TEST(HostSort, CarriesLargeArraysByThreads) {
  const auto device = std::make_shared<fake::Device>();
  HostSort host_sort(device, 1024, 3);
  const auto keys = random_keys(10'000);
  HostArray array;
  array.bytes = keys.size() * 4;
  for (std::size_t begin = 0, size = 1; begin < keys.size(); begin += size, size = 3 * size + 1) {
    array.from.push_back({keys.data() + begin, 4 * std::min(size, keys.size() - begin)});
  }
  auto sorted = std::vector<std::uint32_t>(keys.size());
  array.to = {{sorted.data(), 5000}, {sorted.data() + 1250, array.bytes - 5000}};
  const HostSortTimes times = host_sort.run(std::span(&array, 1), [&](std::span<void* const> memory, Stream) {
    reference_sort(memory[0], keys.size(), KeyType::u32, Order::ascending);
  });
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted, expected);
  EXPECT_GT(times.device_to_host_us, 0);
}

/// Memory that is page-locked already is copied from and to by the device, piece by piece.
TEST(HostSort, CopiesPageLockedMemoryByItself) {
  class Locked : public fake::Device {
   public:
    bool is_page_locked(const void*, std::size_t) const override { return true; }
  };
  const auto device = std::make_shared<Locked>();
  HostSort host_sort(device, 1024, 3);
  auto keys = random_keys(10'000);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const HostArray array{
      .from = {{keys.data(), 999}, {reinterpret_cast<std::byte*>(keys.data()) + 999, 40'000 - 999}},
      .to = {{keys.data(), 40'000}},
      .bytes = 40'000};
  static_cast<void>(host_sort.run(std::span(&array, 1), [&](std::span<void* const> memory, Stream) {
    reference_sort(memory[0], keys.size(), KeyType::u32, Order::ascending);
  }));
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(device->host_allocations, 0);
}

/// A copy that fails ends all threads, in both directions.
TEST(HostSort, EndsWhenACopyFails) {
  class Failing : public fake::Device {
   public:
    void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) const override {
      if (--left == 0) throw Error(ErrorCode::device, "lost");
      fake::Device::copy_to_device(to, from, bytes, stream);
    }
    void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const override {
      if (--left == 0) throw Error(ErrorCode::device, "lost");
      fake::Device::copy_to_host(to, from, bytes, stream);
    }
    mutable std::atomic<int> left{0};
  };
  const auto device = std::make_shared<Failing>();
  HostSort host_sort(device, 1024, 3);
  auto keys = random_keys(10'000);
  for (const int calls : {1, 20, 41, 60, 78}) {
    device->left = calls;
    EXPECT_THROW(static_cast<void>(host_sort.run(keys.data(), 40'000, [](void*, Stream) {})), Error) << calls;
  }
}

TEST(HostSort, KeepsItsLanesAndDropsFailedOnes) {
  const auto device = std::make_shared<fake::Device>();
  HostSort host_sort(device, 1024, 1);
  auto keys = random_keys(600);
  const auto nothing = [](void*, Stream) {};
  for (int i = 0; i < 5; ++i) static_cast<void>(host_sort.run(keys.data(), keys.size() * 4, nothing));
  EXPECT_EQ(device->streams, 1);
  EXPECT_EQ(device->host_allocations, 4);
  const auto before = keys;
  EXPECT_THROW(
      static_cast<void>(host_sort.run(keys.data(), keys.size() * 4,
                                      [](void*, Stream) { throw Error(ErrorCode::device, "lost"); })),
      Error);
  EXPECT_EQ(keys, before) << "a failed sort leaves the caller's keys as they were";
  static_cast<void>(host_sort.run(keys.data(), keys.size() * 4, nothing));
  EXPECT_EQ(device->streams, 2);
}

}  // namespace
}  // namespace engine_test
}  // namespace bitune
