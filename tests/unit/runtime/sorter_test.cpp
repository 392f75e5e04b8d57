#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bitune/bitune.hpp"
#include "cache/tuning_database.hpp"
#include "model/key_order.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

/// The public Sorter on the emulated device, which shares its kernel cache between the tests of one run.
class SorterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    root = fs::temp_directory_path() / ("bitune-sorter-" + std::to_string(::getpid()));
    fs::create_directories(root);
    ::setenv("BITUNE_SHIPPED_DB", "", 1);
  }
  static void TearDownTestSuite() {
    fs::remove_all(root);
    ::unsetenv("BITUNE_SHIPPED_DB");
  }

  static SorterOptions options(const std::string& database = "none.db") {
    return {.device = "emulated",
            .database = (root / database).string(),
            .kernel_cache = (root / "cache").string()};
  }

  template <class T>
  static std::vector<T> random_keys(std::size_t n, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<T> keys(n);
    std::generate(keys.begin(), keys.end(), [&] { return static_cast<T>(random()); });
    return keys;
  }

  static fs::path root;
};

fs::path SorterTest::root;

TEST_F(SorterTest, SortsHostArrays) {
  Sorter sorter(options());
  auto keys = random_keys<float>(3000);
  const HostSortTimes times = sorter.sort(std::span<float>(keys));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_GT(times.kernels_us, 0);
  EXPECT_GE(times.total_us, times.kernels_us);
  auto shorts = random_keys<std::int16_t>(1001);
  sorter.sort(std::span<std::int16_t>(shorts), Order::descending);
  EXPECT_TRUE(std::is_sorted(shorts.begin(), shorts.end(), std::greater<>()));
}

TEST_F(SorterTest, SortsDeviceArraysOfAnyElementAlignment) {
  Sorter sorter(options());
  const auto device = open_device("emulated");
  const auto buffer = device->allocate(2048 * sizeof(std::uint32_t));
  auto* memory = static_cast<std::uint32_t*>(buffer->data());
  for (std::size_t offset = 0; offset < 5; ++offset) {
    const auto keys = random_keys<std::uint32_t>(1030, static_cast<unsigned>(offset));
    std::fill_n(memory, 2048, 7U);
    std::copy(keys.begin(), keys.end(), memory + offset);
    sorter.sort(memory + offset, keys.size(), KeyType::u32);
    device->synchronize(nullptr);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory + offset)) << "offset " << offset;
    EXPECT_TRUE(std::all_of(memory, memory + offset, [](std::uint32_t key) { return key == 7; }));
    EXPECT_TRUE(std::all_of(memory + offset + keys.size(), memory + 2048,
                            [](std::uint32_t key) { return key == 7; }));
  }
}

TEST_F(SorterTest, SelectsWhatWasTuned) {
  const auto device = open_device("emulated");
  const Problem problem{{.key = KeyType::u32}, {.n = 1024}};
  const auto valid = variant("global").space(problem, device->info()).valid(problem, device->info());
  ASSERT_GT(valid.size(), 1u);
  {
    TuningDatabase database(root / "tuned.db", DatabaseMode::read_write);
    Trial trial;
    trial.problem = problem;
    trial.configuration = valid.back();
    trial.kernel_digest = kernel_sources_digest(trial.configuration.variant);
    trial.samples_us = {123, 125, 124};
    database.store(database.begin_session(device->info(), device->software(), {}), trial);
  }
  Sorter sorter(options("tuned.db"));
  const Explanation exact = sorter.explain(problem);
  EXPECT_EQ(exact.configuration, valid.back().text());
  EXPECT_EQ(exact.match, "exact");
  EXPECT_EQ(exact.expected_us, 124);
  EXPECT_FALSE(exact.launches.empty());
  EXPECT_EQ(sorter.explain({{.key = KeyType::u32}, {.n = 1500}}).match, "near size");
  EXPECT_EQ(sorter.explain({{.key = KeyType::u16}, {.n = 1024}}).match, "default");

  auto keys = random_keys<std::uint32_t>(1024);
  sorter.sort(std::span<std::uint32_t>(keys));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST_F(SorterTest, SortsWithoutAUsableDatabaseOrCache) {
  std::ofstream(root / "damaged.db") << "this is no database, but it is long enough to be looked at as one";
  std::ofstream(root / "file") << "a file where the cache's folder should be";
  SorterOptions broken = options("damaged.db");
  broken.kernel_cache = (root / "file" / "cache").string();
  Sorter sorter(broken);
  auto keys = random_keys<std::uint32_t>(100);
  sorter.sort(std::span<std::uint32_t>(keys));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  const Explanation how = sorter.explain({{.key = KeyType::u32}, {.n = 100}});
  EXPECT_EQ(how.match, "default");
  EXPECT_NE(how.reason.find("damaged.db"), std::string::npos) << how.reason;
  EXPECT_NE(how.reason.find("cannot be written"), std::string::npos) << how.reason;
}

TEST_F(SorterTest, SeveralThreadsShareOne) {
  Sorter sorter(options());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 500; n < 503; ++n) {
        auto keys = random_keys<std::uint32_t>(n, t);
        sorter.sort(std::span<std::uint32_t>(keys));
        if (!std::is_sorted(keys.begin(), keys.end())) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SorterTest, MovesAndDescribes) {
  Sorter first(options());
  Sorter second(std::move(first));
  EXPECT_NE(second.device().find("emulated"), std::string::npos);
  second.prepare({{.key = KeyType::u32}, {.n = 1000}});
  EXPECT_EQ(second.workspace_size({{.key = KeyType::u32}, {.n = 1000}}), 0u);
}

}  // namespace
}  // namespace bitune
