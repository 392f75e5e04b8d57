#include "bench/presets.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/host_sorts.hpp"
#include "bench/round_trip.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t length = 500;

Contestant host_sorter(bool in_place) {
  return {"sorter", in_place, [in_place](const Operands& operands, Stream) {
            void* const keys = operands.input().data;
            void* const out = operands[Role::keys_out].data;
            if (!in_place) std::memcpy(out, keys, length * 4);
            reference_sort(in_place ? keys : out, length, KeyType::u32, Order::ascending);
          }};
}

PresetRecord record_of(std::string preset, std::uint64_t n, double total_us) {
  PresetRecord record;
  record.preset = std::move(preset);
  record.n = n;
  record.total_us = total_us;
  record.sort_us = total_us / 2;
  record.kernels_us = {{"shared_steps", 3.5}, {"element_step", 7}};
  record.launches = 12;
  record.verified = true;
  return record;
}

class Folder : public testing::Test {
 protected:
  Folder() : path_(fs::temp_directory_path() / ("bitune-presets-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() override { fs::remove_all(path_); }
  fs::path path_;
};
using PresetRecords = Folder;
using PresetBench = Folder;

TEST(RoundTrips, VerifiesBothKindsOfHostMemoryAndKeepsTheKeys) {
  const fake::Device device;
  const auto keys = make_keys(KeyType::u32, length, Distribution::random, 1);
  const auto before = keys;
  RoundTrips trips(device, Problem{{}, {.n = length}}, keys);
  const Contestant idle{"idle", true, [](const Operands&, Stream) {}};
  for (const bool pinned : {false, true}) {
    EXPECT_TRUE(trips.verify(host_sorter(true), pinned));
    EXPECT_TRUE(trips.verify(host_sorter(false), pinned));
    EXPECT_FALSE(trips.verify(idle, pinned)) << "the result of the sort before was taken for this one's";
    const RoundTripTimes times = trips.time(host_sorter(true), pinned, 3, 1e9);
    EXPECT_EQ(times.samples, 3);
    EXPECT_GT(times.median.total_us, 0);
    EXPECT_EQ(trips.time(host_sorter(true), pinned, 3, 0).samples, 1)
        << "once at the least, whatever the budget";
  }
  EXPECT_EQ(keys, before);
}

TEST(RoundTrips, RunsPartsInOrderOnTheKeys) {
  const fake::Device device;
  const auto keys = make_keys(KeyType::u32, length, Distribution::random, 1);
  RoundTrips trips(device, Problem{{}, {.n = length}}, keys);
  std::vector<int> order;
  std::vector<Contestant> parts;
  for (int part = 0; part < 7; ++part) {
    parts.push_back({"", true, [&, part](const Operands& operands, Stream) {
                       if (part == 0) {
                         EXPECT_EQ(std::memcmp(operands.input().data, keys.data(), keys.size()), 0);
                       }
                       order.push_back(part);
                     }});
  }
  EXPECT_EQ(trips.time_parts(parts).size(), 7u);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(HostSorts, SortBothWaysAndAreVerified) {
  for (const KeyType key : {KeyType::u32, KeyType::i32}) {
    const auto keys = make_keys(key, length, Distribution::random, 1);
    const HostSorts times = time_host_sorts(keys, key);
    EXPECT_TRUE(times.verified);
    EXPECT_GT(times.qsort_us, 0);
    EXPECT_GT(times.std_sort_us, 0);
  }
  EXPECT_FALSE(has_host_sorts(KeyType::f32));
}

TEST_F(PresetRecords, ReplaceOlderOnesOfTheSameArrayAndKeepTheLaddersOrder) {
  const fs::path path = path_ / "presets.json";
  store_preset_records(
      path, std::vector{record_of("bitune", 100, 1), record_of("v2", 100, 20), record_of("v0", 100, 40)});
  store_preset_records(path, std::vector{record_of("v2", 100, 10), record_of("v0", 50, 5)});
  std::ifstream file(path);
  const Json all = Json::parse(file);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].at("n"), 50);
  EXPECT_EQ(all[1].at("preset"), "v0");
  EXPECT_EQ(all[2].at("preset"), "v2");
  EXPECT_EQ(all[2].at("total_us"), 10);
  EXPECT_EQ(all[3].at("preset"), "bitune");
  EXPECT_EQ(all[2].at("kernels_us").dump(), R"({"shared_steps":3.5,"element_step":7.0})");
  EXPECT_TRUE(all[2].at("peer_us").is_null());
  EXPECT_DOUBLE_EQ(all[2].at("keys_per_s").get<double>(), 1e7);
  EXPECT_DOUBLE_EQ(all[2].at("ns_per_key").get<double>(), 100);

  std::ofstream(path, std::ios::trunc) << "[{\"suite\": \"single\"}]";
  EXPECT_THROW(store_preset_records(path, {}), Error);
}

TEST_F(PresetRecords, AreATableForEachArray) {
  const std::string text =
      preset_records_markdown(std::vector{record_of("v0", 1024, 10), record_of("v2", 2048, 10)});
  EXPECT_NE(text.find("### u32, n = 2^10"), std::string::npos) << text;
  EXPECT_NE(text.find("### u32, n = 2^11"), std::string::npos) << text;
  EXPECT_NE(text.find("shared_steps 0.004, element_step 0.007"), std::string::npos) << text;
}

TEST_F(PresetBench, MeasuresPresetsAndTheSelectionOnTheEmulatedDevice) {
  PresetBenchRequest request;
  request.device = "emulated";
  request.database = path_ / "none.db";
  request.kernel_cache = path_ / "cache";
  request.sizes = {300, 9000};
  request.presets = {"v3", "local", "bitune"};
  request.samples = 2;
  std::size_t begun = 0;
  const std::atomic<bool> stop{false};
  const PresetBenchResult result = run_preset_bench(
      request,
      [&](const PresetBenchProgress& now) {
        EXPECT_EQ(now.count, 6u);
        EXPECT_LT(now.index, now.count);
        ++begun;
      },
      stop);
  EXPECT_EQ(begun, 5u);
  ASSERT_EQ(result.records.size(), 5u);
  for (const PresetRecord& record : result.records) {
    EXPECT_TRUE(record.verified) << record.preset;
    EXPECT_GT(record.total_us, 0);
    EXPECT_FALSE(record.kernels_us.empty());
    EXPECT_TRUE(record.qsort_us.has_value());
    EXPECT_EQ(record.pinned, record.preset != "local");
  }
  EXPECT_NE(result.note.find("no peers"), std::string::npos) << result.note;
  EXPECT_NE(result.note.find("at most 8192 keys"), std::string::npos) << result.note;
}

TEST(PresetBenchRequests, AreRefusedBeforeAnyWork) {
  PresetBenchRequest request;
  request.device = "emulated";
  std::atomic<bool> stop{false};
  request.sizes = {1};
  EXPECT_THROW(static_cast<void>(run_preset_bench(request, {}, stop)), Error);
  request.sizes = {100};
  request.presets = {"v9"};
  EXPECT_THROW(static_cast<void>(run_preset_bench(request, {}, stop)), Error);
  stop = true;
  request.presets = {"v0"};
  EXPECT_TRUE(run_preset_bench(request, {}, stop).records.empty());
}

}  // namespace
}  // namespace bitune
