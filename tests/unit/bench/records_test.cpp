#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/records.hpp"
#include "bitune/error.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

BenchRecord record(KeyType key, std::uint64_t n, double us) {
  BenchRecord result;
  result.peer = "cub";
  result.problem.key = key;
  result.distribution = "sorted";
  result.problem.n = n;
  result.bitune_us = us;
  result.peer_us = 3 * us;
  result.ratio = 3;
  result.configuration = "warp(block_size_x=256)";
  result.match = "exact";
  result.expected_us = us - 0.5;
  result.verified = true;
  result.methods_us = {{"radix", 3 * us}, {"merge", 4 * us}};
  result.peer_method = "radix";
  result.gkeys_per_s = 2.5;
  result.peer_gkeys_per_s = 0.5;
  result.samples = 15;
  result.peer_samples = 7;
  result.batch = 8;
  result.device = "GPU";
  result.driver = "580";
  result.peer_version = "3.0.1";
  result.date = "2026-11-21";
  return result;
}

class RecordsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("bitune-records-" + std::to_string(::getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  [[nodiscard]] static std::string text(const fs::path& path) {
    std::ostringstream stream;
    stream << std::ifstream(path).rdbuf();
    return stream.str();
  }

  fs::path folder;
};

TEST_F(RecordsTest, JsonHasTheAgreedMembersAndReadsBack) {
  const std::vector<BenchRecord> records = {record(KeyType::u32, 256, 5.25),
                                            record(KeyType::f32, std::uint64_t{1} << 33, 9)};
  const std::string json = bench_records_json(records);
  for (const char* member :
       {"\"suite\":\"single\"", "\"peer\":\"cub\"", "\"key_type\":\"u32\"", "\"order\":\"ascending\"",
        "\"n\":256", "\"rows\":1", "\"bitune_us\":5.25", "\"peer_us\":15.75", "\"ratio\":3.0",
        "\"configuration\":\"warp(block_size_x=256)\"", "\"match\":\"exact\"", "\"verified\":true",
        "\"expected_us\":4.75", "\"peer_radix_us\":15.75", "\"peer_merge_us\":21.0", "\"form\":\"in place\"",
        "\"peer_gkeys_per_s\":0.5", "\"peer_samples\":7", "\"n\":8589934592"}) {
    EXPECT_NE(json.find(member), std::string::npos) << member << " in " << json;
  }
  const auto read = parse_bench_records(json, "text");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].methods_us, records[0].methods_us);
  EXPECT_EQ(read[1].problem.n, records[1].problem.n);
  EXPECT_EQ(bench_records_json(read), json);
}

TEST_F(RecordsTest, KeepsWhatTorchWasMeasuredAt) {
  BenchRecord rows = record(KeyType::u32, 128, 5);
  rows.suite = "rows";
  rows.problem.rows = 1 << 19;
  rows.form = "out of place";
  EXPECT_EQ(bench_records_json(std::vector{rows}).find("torch"), std::string::npos);
  rows.torch_us = 4321.5;
  rows.torch_bytes = std::uint64_t{3} << 30;
  rows.workspace_bytes = std::uint64_t{5} << 30;
  rows.torch_version = "2.9.0";
  const auto read = parse_bench_records(bench_records_json(std::vector{rows}), "text").at(0);
  EXPECT_EQ(read.torch_us, 4321.5);
  EXPECT_EQ(read.torch_bytes, std::uint64_t{3} << 30);
  EXPECT_EQ(read.workspace_bytes, std::uint64_t{5} << 30);
  EXPECT_EQ(read.torch_version, "2.9.0");
  EXPECT_EQ(read.form, "out of place");
  EXPECT_EQ(read.problem.rows, 1u << 19);
}

TEST_F(RecordsTest, PairsDoNotReplaceKeysOfTheSameLength) {
  const BenchRecord keys = record(KeyType::u32, 1024, 5);
  BenchRecord pairs = record(KeyType::u32, 1024, 7);
  pairs.problem.operation = Operation::sort_pairs;
  pairs.problem.value_bytes = 4;
  BenchRecord stable = pairs;
  stable.problem.stable = true;
  BenchRecord segments = record(KeyType::u32, 1024, 8);
  segments.problem.ragged = true;
  segments.problem.rows = 16;
  segments.lengths = "zipf";
  BenchRecord uniform = segments;
  uniform.lengths = "uniform";
  BenchRecord on_two = keys;
  on_two.gpus = 2;
  const fs::path path = folder / "all.json";
  for (const BenchRecord& one : {keys, pairs, stable, segments, uniform, on_two, keys}) {
    store_bench_records(path, std::vector{one});
  }
  const std::string json = text(path);
  const auto read = parse_bench_records(json, path.string());
  ASSERT_EQ(read.size(), 6u);
  EXPECT_EQ(bench_records_json(read), json);
  for (const char* member : {"\"operation\":\"sort_pairs\"", "\"value_bytes\":4", "\"index_bytes\":0",
                             "\"stable\":true", "\"k\":0", "\"shape\":\"segments\"", "\"segments\":16",
                             "\"lengths\":\"zipf\"", "\"mean_length\":64.0", "\"keys\":1024", "\"gpus\":2"}) {
    EXPECT_NE(json.find(member), std::string::npos) << member << " in " << json;
  }
}

TEST_F(RecordsTest, RecordsOfBeforeThereWereOperationsSortKeys) {
  const auto read = parse_bench_records(
      R"j([{"suite":"rows","peer":"cub","key_type":"f16","order":"descending","n":7,"rows":3,"bitune_us":5.0,)j"
      R"j("configuration":"rows(a=1)","match":"exact","verified":true}])j",
      "text");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].problem,
            (Problem{{.key = KeyType::f16, .order = Order::descending}, {.n = 7, .rows = 3}}));
  EXPECT_EQ(read[0].gpus, 1);
}

TEST_F(RecordsTest, KeepsTheTimeAsAGraphBesideTheOther) {
  BenchRecord single = record(KeyType::u32, 128, 5);
  EXPECT_EQ(bench_records_json(std::vector{single}).find("graph"), std::string::npos);
  single.graph_us = 4.5;
  single.between_us = 6.5;
  const std::string json = bench_records_json(std::vector{single});
  EXPECT_NE(json.find("\"bitune_us\":5.0,\"graph_us\":4.5,\"between_us\":6.5,\"peer_us\""), std::string::npos)
      << json;
  EXPECT_EQ(parse_bench_records(json, "text").at(0).graph_us, 4.5);
  EXPECT_EQ(parse_bench_records(json, "text").at(0).between_us, 6.5);
}

TEST_F(RecordsTest, KeepsStartsBesideComparisonsOfTheSameArray) {
  BenchRecord cold = record(KeyType::u32, 256, 9000);
  EXPECT_EQ(bench_records_json(std::vector{cold}).find("first_us"), std::string::npos);
  cold.suite = "start";
  cold.start = {.cuda_start_us = 150000.5, .first_us = 9000, .second_us = 30.25, .compiled = 1};
  const fs::path path = folder / "single.json";
  store_bench_records(path, std::vector{cold});
  store_bench_records(path, std::vector{record(KeyType::u32, 256, 5)});
  const auto read = parse_bench_records(text(path), path.string());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].suite, "single");
  EXPECT_FALSE(read[0].start.has_value());
  ASSERT_TRUE(read[1].start.has_value());
  EXPECT_EQ(read[1].start->cuda_start_us, 150000.5);
  EXPECT_EQ(read[1].start->first_us, 9000);
  EXPECT_EQ(read[1].start->second_us, 30.25);
  EXPECT_EQ(read[1].start->compiled, 1);
}

TEST_F(RecordsTest, WithoutAPeerThereIsNoRatio) {
  BenchRecord alone = record(KeyType::u32, 256, 5);
  alone.peer.clear();
  alone.peer_us.reset();
  alone.ratio.reset();
  alone.methods_us.clear();
  const std::vector<BenchRecord> records = {alone};
  const auto read = parse_bench_records(bench_records_json(records), "text");
  EXPECT_EQ(read.at(0).ratio, std::nullopt);
  EXPECT_EQ(read.at(0).peer_us, std::nullopt);
}

TEST_F(RecordsTest, StoringReplacesTheSameComparisonOnly) {
  const fs::path path = folder / "deep" / "single.json";
  store_bench_records(path, std::vector{record(KeyType::u32, 512, 1), record(KeyType::u32, 256, 2)});
  store_bench_records(path, std::vector{record(KeyType::u32, 256, 4), record(KeyType::f32, 256, 3)});
  const auto read = parse_bench_records(text(path), path.string());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].problem.n, 256u);
  EXPECT_EQ(read[0].bitune_us, 4);
  EXPECT_EQ(read[1].problem.n, 512u);
  EXPECT_EQ(read[2].problem.key, KeyType::f32);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1) << "nothing half-written stays";
}

TEST_F(RecordsTest, RefusesAFileThatIsNoResult) {
  const fs::path path = folder / "single.json";
  for (const char* wrong : {"{", "[{}]", "[{\"suite\": 1}]", "3"}) {
    std::ofstream(path, std::ios::trunc) << wrong;
    try {
      store_bench_records(path, std::vector{record(KeyType::u32, 256, 1)});
      FAIL() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    }
    EXPECT_EQ(text(path), wrong) << "left untouched";
  }
}

TEST_F(RecordsTest, SaysWhereItCannotWrite) {
  std::ofstream(folder / "file") << "x";
  EXPECT_THROW(
      store_bench_records(folder / "file" / "single.json", std::vector{record(KeyType::u32, 256, 1)}), Error);
}

}  // namespace
}  // namespace bitune
