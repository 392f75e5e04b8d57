// Which trials leave the database, and in what shape. What Kernel Tuner makes of it:
// tests/end_to_end/exchange.py.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "measure/json.hpp"
#include "runtime/variant.hpp"
#include "tests/unit/tuner/exchange_fixture.hpp"
#include "tuner/exchange/export.hpp"
#include "tuner/exchange/gzip.hpp"
#include "tuner/exchange/import.hpp"

namespace bitune::test {
namespace {

class ExportTest : public ExchangeTest {
 protected:
  static DeviceInfo device(const std::string& name = "NVIDIA H200", int sm_count = 132) {
    DeviceInfo info;
    info.name = name;
    info.compute_major = 9;
    info.sm_count = sm_count;
    info.shared_bytes_per_block_optin = 232448;
    info.shared_bytes_per_sm = 233472;
    return info;
  }

  static Problem of_size(std::uint64_t n) {
    Problem problem;
    problem.n = n;
    return problem;
  }

  static Trial trial(const std::string& configuration, double us, std::uint64_t n = 1024) {
    Trial trial;
    trial.problem = of_size(n);
    trial.configuration = Configuration::parse(configuration);
    trial.kernel_digest = "kernels-a";
    trial.samples_us = {us};
    if (us == 0) trial.samples_us.clear();
    return trial;
  }

  static Trial failed(const std::string& configuration, TrialStatus status) {
    Trial trial = ExportTest::trial(configuration, 0);
    trial.status = status;
    trial.message = "because, \"so\"\nto say";
    return trial;
  }

  std::int64_t session(const DeviceInfo& info = device()) {
    return db.begin_session(info, {"GPU-1", "580", "nvrtc"}, {});
  }

  std::vector<ExchangeFile> files(ExchangeFormat format, const TrialFilter& filter = {}) {
    return export_trials(db, {format, filter, false});
  }

  Json only(ExchangeFormat format) {
    const auto all = files(format);
    EXPECT_EQ(all.size(), 1u);
    return Json::parse(all.at(0).content);
  }

  TuningDatabase db{folder / "tuning.db", DatabaseMode::read_write};
};

TEST_F(ExportTest, FailuresAreNamedAsKernelTunerAndT4NameThem) {
  const auto id = session();
  db.store(id, trial("warp(block_size_x=1)", 5));
  const std::vector<std::tuple<TrialStatus, std::string, std::string>> all = {
      {TrialStatus::invalid, "InvalidConfig", "constraints"},
      {TrialStatus::compile_failed, "CompilationFailedConfig", "compile"},
      {TrialStatus::spilled, "InvalidConfig", "constraints"},
      {TrialStatus::over_limit, "InvalidConfig", "constraints"},
      {TrialStatus::launch_failed, "RuntimeFailedConfig", "runtime"},
      {TrialStatus::wrong_result, "RuntimeFailedConfig", "correctness"},
      {TrialStatus::timed_out, "RuntimeFailedConfig", "timeout"}};
  int block = 1;
  for (const auto& [status, word, invalidity] : all) {
    db.store(id, failed("warp(block_size_x=" + std::to_string(++block) + ")", status));
  }
  const Json cache = only(ExchangeFormat::cache)["cache"];
  const Json results = only(ExchangeFormat::t4)["results"];
  EXPECT_EQ(cache["1"]["time"], 0.005);
  EXPECT_EQ(results[0]["invalidity"], "correct");
  EXPECT_EQ(results[0]["correctness"], 1);
  block = 1;
  for (const auto& [status, word, invalidity] : all) {
    const Json& line = cache[std::to_string(++block)];
    EXPECT_EQ(line["time"], word);
    EXPECT_EQ(line["status"], name_of(status));
    EXPECT_EQ(line["message"], "because, \"so\"\nto say");
    EXPECT_EQ(results[static_cast<std::size_t>(block - 1)]["invalidity"], invalidity);
    EXPECT_EQ(results[static_cast<std::size_t>(block - 1)]["correctness"], 0);
  }
  EXPECT_EQ(files(ExchangeFormat::cache)[0].name, "NVIDIA_H200-bitune_warp_u32_ascending-1024.json");
  EXPECT_EQ(files(ExchangeFormat::wisdom)[0].content.find("InvalidConfig"), std::string::npos);
}

TEST_F(ExportTest, ACacheHoldsOneSeriesAndOfEachConfigurationTheFinalist) {
  const auto id = session();
  db.store(id, trial("warp(block_size_x=32)", 5));
  Trial finalist = trial("warp(block_size_x=32)", 6);
  finalist.finalist = true;
  db.store(id, finalist);
  db.store(id, trial("warp(block_size_x=32)", 7));
  db.store(id, trial("warp(block_size_x=64)", 8));
  db.store(id, trial("warp(block_size_x=64)", 9));
  // Newer, but of a search that did not come to its finals; and what a file claims.
  Protocol cold;
  cold.cold_l2 = true;
  db.store(db.begin_session(device(), {"GPU-1", "580", "nvrtc"}, cold), trial("warp(block_size_x=128)", 1));
  Trial claimed = trial("warp(block_size_x=256)", 1);
  claimed.status = TrialStatus::unverified;
  claimed.finalist = true;
  db.import_trials({{device(), {}, {}, "cache 'x.json'", {claimed}}});

  const Json document = only(ExchangeFormat::cache);
  ASSERT_EQ(document["cache"].size(), 2u);
  EXPECT_EQ(document["cache"]["32"]["time"], 0.006);
  EXPECT_EQ(document["cache"]["64"]["time"], 0.009) << "the newer";
  EXPECT_EQ(document["tune_params"], Json({{"block_size_x", {32, 64}}}));
  EXPECT_EQ(only(ExchangeFormat::results)["data"][0]["time"], 0.006) << "the finalist leads";
  EXPECT_EQ(files(ExchangeFormat::csv)[0].trials, 7u) << "all of them";
}

TEST_F(ExportTest, ResultsAndWisdomTakeSizesTogetherAndParametersApart) {
  const auto id = session();
  db.store(id, trial("warp(block_size_x=32)", 5));
  db.store(id, trial("warp(block_size_x=64)", 6, 2048));
  Trial older = trial("warp(tile=64)", 6, 4096);
  db.store(id, older);
  Trial rows = trial("rows(block_size_x=64)", 6, 64);
  rows.problem.rows = 100;
  db.store(id, rows);
  Trial claimed = trial("cluster(block_size_x=256)", 1);
  claimed.status = TrialStatus::unverified;
  db.import_trials({{device(), {}, {}, "cache 'x.json'", {claimed}}});

  const auto results = files(ExchangeFormat::results);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].name, "bitune_cluster_u32_ascending_results.json");
  EXPECT_EQ(results[1].name, "bitune_rows_u32_ascending_results.json");
  EXPECT_EQ(Json::parse(results[1].content)["data"][0]["problem_size"], "64x100");
  EXPECT_EQ(results[2].name, "bitune_warp_u32_ascending_results.json");
  EXPECT_EQ(Json::parse(results[2].content)["data"].size(), 2u);
  EXPECT_EQ(results[3].name, "bitune_warp_u32_ascending-2_results.json");
  EXPECT_EQ(files(ExchangeFormat::wisdom).size(), 3u) << "what nobody verified is no wisdom";
}

TEST_F(ExportTest, DevicesOfOneNameHaveFilesOfTheirOwn) {
  db.store(session(device("GPU (tm)", 132)), trial("warp(block_size_x=32)", 5));
  db.store(session(device("GPU (tm)", 114)), trial("warp(block_size_x=32)", 5));
  std::set<std::string> names;
  for (const ExchangeFile& file : files(ExchangeFormat::cache)) {
    EXPECT_TRUE(file.name.starts_with("GPU_tm__")) << file.name;
    names.insert(file.name);
  }
  EXPECT_EQ(names.size(), 2u);
}

TEST_F(ExportTest, T4TellsResourcesOfConfigurationsThatAreStillValid) {
  const auto id = session();
  const Configuration today = variant("warp").default_configuration(of_size(1024), device());
  Trial compiled = trial(today.text(), 5);
  compiled.registers = 32;
  compiled.shared_bytes = 4096;
  db.store(id, compiled);
  const Json data = only(ExchangeFormat::t4)["results"][0]["compilation_data"];
  EXPECT_EQ(data["registers"], 32);
  EXPECT_EQ(data["local_memory_size"], 4096);
  EXPECT_EQ(data["local_size"]["x"], today.at("block_size_x"));
  EXPECT_EQ(data["max_work_group_size"], today.at("block_size_x"));
  EXPECT_EQ(data["global_size"]["y"], 1);
  TrialFilter old;
  old.variant = "warp";
  db.prune(old, false);
  db.store(id, trial("warp(block_size_x=3)", 5));
  EXPECT_FALSE(only(ExchangeFormat::t4)["results"][0].contains("compilation_data"));
}

TEST_F(ExportTest, CsvQuotesWhatItMust) {
  const auto id = session(device("a, \"b\""));
  db.store(id, failed("warp(block_size_x=1)", TrialStatus::timed_out));
  const std::string text = files(ExchangeFormat::csv)[0].content;
  EXPECT_NE(text.find("\"a, \"\"b\"\"\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"because, \"\"so\"\"\nto say\""), std::string::npos) << text;
}

TEST_F(ExportTest, NoParameterHasANameThatAFormatUses) {
  const auto id = session();
  Trial whole = trial("warp(block_size_x=1)", 5);
  whole.message = "stopped early";
  whole.clock = {1000, 1980, sw_power_cap};
  db.store(id, whole);
  const Json document = only(ExchangeFormat::cache);
  std::set<std::string> used = {"time", "grid_size_x", "grid_size_y", "grid_size_z"};
  for (const auto& [name, value] : document["cache"]["1"].items()) used.insert(name);
  used.erase("block_size_x");
  EXPECT_TRUE(used.contains("clock_throttled"));
  for (const Variant* family : variants()) {
    for (const Parameter& parameter : family->space(of_size(1024), device()).parameters) {
      EXPECT_FALSE(used.contains(parameter.name)) << family->name() << ": " << parameter.name;
    }
  }
  // Clocks and messages come back.
  const Recording back = read(files(ExchangeFormat::cache)[0].content)[0];
  EXPECT_EQ(back.trials[0].clock, whole.clock);
  EXPECT_EQ(back.trials[0].message, whole.message);
  EXPECT_EQ(back.device, device());
  const Recording own = read(files(ExchangeFormat::json)[0].content)[0];
  EXPECT_EQ(own.trials[0].clock, whole.clock);
  EXPECT_EQ(own.trials[0].samples_us, whole.samples_us);
}

TEST_F(ExportTest, OperationsSurviveEveryFormatThatIsReadAgain) {
  const std::vector<SortSpec> specs = {
      {.key = KeyType::i16, .index_bytes = 4, .stable = true},
      {.operation = Operation::sort_pairs,
       .key = KeyType::f32,
       .value_bytes = 16,
       .order = Order::descending},
      {.operation = Operation::argsort, .key = KeyType::u64, .index_bytes = 8, .stable = true}};
  const auto id = session();
  std::set<Problem> problems;
  for (const SortSpec& spec : specs) {
    Trial stored = trial("radix_pairs(block_size_x=256)", 5);
    stored.problem = {spec, {.n = 1024}};
    db.store(id, stored);
    problems.insert(stored.problem);
  }
  for (const ExchangeFormat format :
       {ExchangeFormat::json, ExchangeFormat::cache, ExchangeFormat::t4, ExchangeFormat::results}) {
    std::set<Problem> back;
    std::set<std::string> names;
    for (const ExchangeFile& file : files(format)) {
      EXPECT_TRUE(names.insert(file.name).second) << file.name;
      for (const Recording& recording : read(file.content)) {
        for (const Trial& one : recording.trials) {
          EXPECT_EQ(one.configuration.variant, "radix_pairs");
          back.insert(one.problem);
        }
      }
    }
    EXPECT_EQ(back, problems) << "format " << static_cast<int>(format);
  }
}

TEST_F(ExportTest, WhatWasImportedOnceKeepsItsOrigin) {
  Trial claimed = trial("warp(block_size_x=256)", 1);
  claimed.status = TrialStatus::unverified;
  db.import_trials({{device(), {}, {}, "cache 'x.json'", {claimed}}});
  for (const ExchangeFormat format : {ExchangeFormat::cache, ExchangeFormat::t4, ExchangeFormat::json}) {
    const std::string source = read(files(format)[0].content)[0].source;
    EXPECT_TRUE(source.ends_with(" 'file.json' of cache 'x.json'")) << source;
  }
}

TEST_F(ExportTest, ImportKnowsVariantsAndParameters) {
  const auto cache = write(cache_of(entry_of(32, 4, R"("time": 1.0)")));
  EXPECT_EQ(plan_import({cache}, {}).trials[0].device.kind, "unknown");
  EXPECT_EQ(plan_import({cache}, device()).trials[0].device, device());
  std::string text = cache_of(entry_of(32, 4, R"("time": 1.0)"));
  for (std::size_t at = text.find("items_per"); at != std::string::npos; at = text.find("items_per", at)) {
    text.replace(at, 9, "quick_per");
  }
  try {
    static_cast<void>(plan_import({cache, write(text, "other.json")}, {}));
    FAIL() << "was taken";
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("1 of 1 trials are rejected"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("no parameter 'quick_per_thread'"), std::string::npos) << sentence;
  }
}

TEST(Gzip, TheSameBytesGiveTheSameFile) {
  const std::string text(10000, 'x');
  EXPECT_EQ(gzip(text), gzip(text));
  EXPECT_LT(gzip(text).size(), 100u);
  EXPECT_FALSE(gzip("").empty());
}

}  // namespace
}  // namespace bitune::test
