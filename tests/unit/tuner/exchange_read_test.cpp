// What is read of files that Kernel Tuner and others write.

#include <zlib.h>

#include "runtime/variant.hpp"
#include "tests/unit/tuner/exchange_fixture.hpp"
#include "tuner/exchange/number_text.hpp"

namespace bitune::test {
namespace {

using exchange::shifted_text;
using exchange::shifted_value;

TEST(NumberText, IsShortExactAndHasADecimalPoint) {
  EXPECT_EQ(shifted_text(12.5, -3), "0.0125");
  EXPECT_EQ(shifted_text(1000, -3), "1.0");
  EXPECT_EQ(shifted_text(1, 0), "1.0");
  EXPECT_EQ(shifted_text(123456.75, -3), "123.45675");
  EXPECT_EQ(shifted_text(0, -3), "0.0");
  EXPECT_EQ(shifted_text(1e-9, -3), "1.0e-12");
  EXPECT_EQ(shifted_text(1e300, -3), "1.0e297");
  EXPECT_EQ(shifted_value("1", 3), 1000);
  EXPECT_EQ(shifted_value("1.5E+2", 0), 150);
  EXPECT_EQ(shifted_value("1e-999", 0), 0);
  EXPECT_EQ(shifted_value("1e999", 0), std::nullopt);
  EXPECT_EQ(shifted_value("1e99999999999", 0), std::nullopt);
}

TEST(NumberText, AnySampleSurvivesTheWayThroughMilliseconds) {
  std::uint64_t bits = 88172645463325252;
  for (int i = 0; i < 20000; ++i) {
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    const double us = static_cast<double>(bits >> 11) * 0x1p-53 * 1e5;
    ASSERT_EQ(shifted_value(shifted_text(us, -3), 3), us);
  }
}

using ReadTest = ExchangeTest;

TEST_F(ReadTest, ACacheOfKernelTuner) {
  const auto recordings =
      read(cache_of(entry_of(32, 4, R"("time": 0.0125, "times": [0.012, 0.0125, 1], "GFLOP/s": 3.5)") + "," +
                    entry_of(32, 8, R"("time": "InvalidConfig")") + "," +
                    entry_of(64, 4, R"("time": "RuntimeFailedConfig")") + "," +
                    entry_of(64, 8, R"("__error__": "CompilationFailedConfig")")));
  ASSERT_EQ(recordings.size(), 1u);
  const Recording& recording = recordings[0];
  EXPECT_EQ(recording.source, "cache 'file.json'");
  EXPECT_FALSE(recording.has_device);
  EXPECT_EQ(recording.device.name, "NVIDIA H200");
  EXPECT_EQ(recording.device.kind, "unknown");
  EXPECT_EQ(recording.protocol.distribution, "unknown");
  ASSERT_EQ(recording.trials.size(), 4u);
  const Trial& timed = recording.trials[0];
  EXPECT_EQ(timed.problem, (Problem{{.key = KeyType::u32}, {.n = 1024}}));
  EXPECT_EQ(timed.configuration.text(), "warp(block_size_x=32,items_per_thread=4)");
  EXPECT_EQ(timed.status, TrialStatus::unverified) << "no file is believed to have verified";
  EXPECT_EQ(timed.samples_us, (std::vector<double>{12, 12.5, 1000}));
  EXPECT_EQ(timed.compile_ms, 400.5);
  EXPECT_EQ(timed.measure_ms, 1.25);
  EXPECT_EQ(timed.timestamp, "2026-11-21 12:26:11.411");
  EXPECT_EQ(recording.trials[1].status, TrialStatus::invalid);
  EXPECT_EQ(recording.trials[2].status, TrialStatus::launch_failed);
  EXPECT_EQ(recording.trials[3].status, TrialStatus::compile_failed);
}

TEST_F(ReadTest, AnOpenCacheAndOneWithoutAllSamples) {
  const std::string closed = cache_of(entry_of(32, 4, R"("time": 0.5)"));
  const std::string open = closed.substr(0, closed.size() - 3);
  for (const std::string& text : {closed, open, open + ",", open + ",\n"}) {
    const auto recordings = read(text);
    ASSERT_EQ(recordings[0].trials.size(), 1u);
    EXPECT_EQ(recordings[0].trials[0].samples_us, std::vector<double>{500});
  }
  EXPECT_TRUE(read(cache_of(""))[0].trials.empty());
}

TEST_F(ReadTest, ACompressedFile) {
  const std::string text = cache_of(entry_of(32, 4, R"("time": 0.5)"));
  const auto path = folder / "cache.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(read_recordings(path)[0].trials.size(), 1u);

  std::string bytes;
  {
    std::ifstream whole(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(whole), {});
  }
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2)).find("damaged"), std::string::npos);
  bytes[bytes.size() - 6] ^= 0x55;  // the checksum
  EXPECT_NE(refusal(bytes).find("damaged"), std::string::npos);
}

TEST_F(ReadTest, TimesOfDayOfAllKinds) {
  const auto timestamp = [&](const std::string& text) {
    return read(
               cache_of("\n\"32,4\": {\"block_size_x\": 32, \"items_per_thread\": 4, \"time\": 1.0, "
                        "\"timestamp\": \"" +
                        text + "\"}"))[0]
        .trials[0]
        .timestamp;
  };
  EXPECT_EQ(timestamp("2022-12-23T12:11:26Z"), "2022-12-23 12:11:26.000");
  EXPECT_EQ(timestamp("2022-12-23 12:11:26.41"), "2022-12-23 12:11:26.410");
  EXPECT_EQ(timestamp("2022-12-31 23:11:26.5+02:30"), "2022-12-31 20:41:26.500");
  EXPECT_EQ(timestamp("2022-12-31 23:11:26.5-01:00"), "2023-01-01 00:11:26.500");
  EXPECT_EQ(timestamp("7579-11-21 12:26:11"), "7579-11-21 12:26:11.000");
  EXPECT_EQ(timestamp("9999-12-31 23:59:59+00:01"), "9999-12-31 23:58:59.000");
  EXPECT_THROW(timestamp("9999-12-31 23:59:59-00:01"), Error);
}

TEST_F(ReadTest, T4OfOthersNeedsToSayWhatItIsAbout) {
  EXPECT_NE(refusal(R"({"results": [], "schema_version": "1.0.0", "metadata": {"timeunit": "seconds"}})")
                .find("which kernel"),
            std::string::npos);
  const auto recordings =
      read(R"({"schema_version": "1.1.0", "metadata": {"timeunit": "seconds", "device": "H200",
      "bitune": {"version": 1, "variant": "warp", "kernel_digest": "abc", "problem": {"operation": "sort",
      "key": "f32", "value": "none", "order": "descending", "n": 100, "rows": 7}}}, "results": [
      {"configuration": {"block_size_x": "32"}, "invalidity": "correct", "correctness": 1,
       "times": {"compilation": 0.5, "runtimes": [2, 3.5]}},
      {"configuration": {"block_size_x": 64}, "invalidity": "timeout", "correctness": 0, "times": {}}]})");
  ASSERT_EQ(recordings[0].trials.size(), 2u);
  const Trial& first = recordings[0].trials[0];
  EXPECT_EQ(first.configuration.text(), "warp(block_size_x=32)") << "KTT writes numbers as texts";
  EXPECT_EQ(first.samples_us, (std::vector<double>{2e6, 3.5e6}));
  EXPECT_EQ(first.compile_ms, 500);
  EXPECT_EQ(first.kernel_digest, "abc");
  EXPECT_EQ(first.problem.rows, 7u);
  EXPECT_EQ(recordings[0].trials[1].status, TrialStatus::timed_out);
}

TEST_F(ReadTest, AResultsFile) {
  const auto recordings = read(R"({"version_number": "1.0", "kernel_name": "bitune_rows_u64_descending",
      "objective": "time", "objective_higher_is_better": false, "tunable_parameters": ["block_size_x"], "data": [
      {"device_name": "A", "problem_size": "512x65536", "tunable_parameters": {"block_size_x": 64}, "time": 0.25},
      {"device_name": "B", "problem_size": "1024", "tunable_parameters": {"block_size_x": 128}, "time": 2.0}]})");
  ASSERT_EQ(recordings.size(), 2u);
  EXPECT_EQ(recordings[0].device.name, "A");
  EXPECT_EQ(recordings[0].trials[0].problem,
            (Problem{{.key = KeyType::u64, .order = Order::descending}, {.n = 512, .rows = 65536}}));
  EXPECT_EQ(recordings[0].trials[0].samples_us, std::vector<double>{250});
  EXPECT_EQ(recordings[1].trials[0].problem.rows, 1u);
}

TEST_F(ReadTest, FilesOfFormerNamesOfVariantsAndOfOtherOperations) {
  const auto read_one = [this](const std::string& kernel) {
    return read(R"({"version_number": "1.0", "kernel_name": ")" + kernel + R"(",
        "objective": "time", "objective_higher_is_better": false, "tunable_parameters": ["block_size_x"], "data": [
        {"device_name": "A", "problem_size": "100", "tunable_parameters": {"block_size_x": 64}, "time": 0.25}]})")
        .at(0)
        .trials.at(0);
  };
  EXPECT_EQ(read_one("bitune_row_pairs_u16_ascending").configuration.variant, "packed_rows");
  EXPECT_EQ(read_one("bitune_packed_rows_u16_ascending").configuration.variant, "packed_rows");
  EXPECT_EQ(read_one("bitune_warp_sort_pairs_f32_v4_stable_descending").problem,
            (Problem{{.operation = Operation::sort_pairs,
                      .key = KeyType::f32,
                      .value_bytes = 4,
                      .order = Order::descending,
                      .stable = true},
                     {.n = 100}}));
}

TEST_F(ReadTest, EachVariantIsKnownByTheNameOfItsKernels) {
  const std::vector<SortSpec> specs = {
      {},
      {.key = KeyType::f64, .order = Order::descending},
      {.key = KeyType::u32, .index_bytes = 4},
      {.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true},
      {.operation = Operation::argsort, .key = KeyType::f16, .index_bytes = 8, .order = Order::descending}};
  for (const Variant* family : variants()) {
    for (const SortSpec& spec : specs) {
      const std::string name = kernel_name_of({spec, {}}, family->name());
      const auto recordings = read(R"({"version_number": "1.0", "kernel_name": ")" + name + R"(",
          "objective": "time", "objective_higher_is_better": false, "tunable_parameters": ["block_size_x"], "data": [
          {"device_name": "A", "problem_size": "100", "tunable_parameters": {"block_size_x": 64}, "time": 0.25}]})");
      const Trial& trial = recordings.at(0).trials.at(0);
      EXPECT_EQ(trial.configuration.variant, family->name()) << name;
      EXPECT_EQ(trial.problem, (Problem{spec, {.n = 100}})) << name;
    }
  }
}

}  // namespace
}  // namespace bitune::test
