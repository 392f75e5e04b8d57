#include "cli/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "bitune/error.hpp"
#include "cache/tuning_database.hpp"
#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

/// With a small database, and a wide terminal.
class Command : public CommandTest {
 protected:
  [[nodiscard]] std::string database() const { return folder_.file("tuning.db"); }

  /// Three trials of u32 and one of f32 on a made-up GPU.
  void fill() const {
    DeviceInfo device;
    device.name = "Test GPU 9000";
    device.compute_major = 9;
    device.sm_count = 132;
    TuningDatabase file(database(), DatabaseMode::read_write);
    const auto session = file.begin_session(device, {"GPU-1234", "580.95 (CUDA 13.0)", "nvrtc 13.0"}, {});
    for (const double us : {30.0, 10.0, 20.0}) {
      file.store(session, trial(KeyType::u32, us));
    }
    file.store(session, trial(KeyType::f32, 40));
    Trial broken = trial(KeyType::f32, 50);
    broken.status = TrialStatus::compile_failed;
    broken.message = "error: identifier is undefined\nsecond line";
    broken.samples_us.clear();
    file.store(session, broken);
  }

  static Trial trial(KeyType key, double us) {
    Trial trial;
    trial.problem.key = key;
    trial.problem.n = 4096;
    trial.configuration = {"warp", {{"block_size_x", static_cast<std::int64_t>(us)}}};
    trial.kernel_digest = "0123";
    trial.samples_us = {us, us, us};
    trial.timestamp = "2026-11-21 12:00:00.000";
    return trial;
  }

  [[nodiscard]] CommandResult db(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "db");
    arguments.insert(arguments.end(), {"--db", database()});
    return run_in_process(arguments);
  }

  [[nodiscard]] Json db_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const CommandResult result = db(std::move(arguments));
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out);
  }

 private:
  ScopedVariable columns_{"COLUMNS", "200"};
};

TEST_F(Command, MissingDatabaseSaysHowToMakeOne) {
  const CommandResult result = db({"list"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("`bitune tune` makes one"), std::string::npos) << result.err;
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(Command, ListAndBestNameTheWinner) {
  fill();
  const Json list = db_json({"list"});
  ASSERT_EQ(list.at("problems").size(), 2U);
  const Json best = db_json({"best", "--key", "u32"}).at("best");
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].at("configuration").at("text"), "warp(block_size_x=10)");
  EXPECT_EQ(best[0].at("median_us"), 10.0);
  const CommandResult table = db({"best"});
  EXPECT_NE(table.out.find("warp(block_size_x=10)"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("409.60 Mkeys/s"), std::string::npos) << table.out;
  EXPECT_NE(db({"list", "--key", "u8"}).out.find("No trials in"), std::string::npos);
}

TEST_F(Command, RatesOfSegmentsCountTheirKeysOnce) {
  TuningDatabase file(database(), DatabaseMode::read_write);
  Trial segments = trial(KeyType::u32, 10);
  segments.problem.rows = 100;
  segments.problem.ragged = true;
  file.store(file.begin_session({}, {}, {}), segments);
  for (const CommandResult& result : {db({"best"}), db({"show", "1"})}) {
    EXPECT_NE(result.out.find("409.60 Mkeys/s"), std::string::npos) << result.out;
  }
}

TEST_F(Command, TablesFitTheWidth) {
  fill();
  for (const std::size_t width : {60U, 80U, 120U}) {
    setenv("COLUMNS", std::to_string(width).c_str(), 1);
    for (const std::vector<std::string>& question : std::vector<std::vector<std::string>>{
             {"list"}, {"best"}, {"trials"}, {"trials", "--noise"}, {"show", "2"}, {"show", "5"}}) {
      const CommandResult result = db(question);
      std::size_t column = 0;
      for (const char c : result.out) {
        column = c == '\n' ? 0 : column + ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0);
        ASSERT_LE(column, width) << result.out;
      }
    }
  }
}

TEST_F(Command, TrialsAreFiltered) {
  fill();
  EXPECT_EQ(db_json({"trials"}).at("trials").size(), 5U);
  EXPECT_EQ(db_json({"trials", "--limit", "2"}).at("trials").size(), 2U);
  EXPECT_EQ(db_json({"trials", "--key", "f32", "--status", "compile_failed"}).at("trials").size(), 1U);
  EXPECT_EQ(db_json({"trials", "--device", "9000", "--n", "4K", "--rows", "1", "--order", "asc", "--variant",
                     "warp"})
                .at("trials")
                .size(),
            5U);
  const CommandResult failures = db({"trials", "--status", "compile_failed"});
  EXPECT_NE(failures.out.find("identifier is undefined"), std::string::npos);
  EXPECT_EQ(failures.out.find("second line"), std::string::npos) << "one line a trial";
  EXPECT_NE(db({"trials", "--limit", "2"}).err.find("--limit 0 shows all"), std::string::npos);
  EXPECT_EQ(db({"trials", "--status", "splendid"}).code, 2);
}

TEST_F(Command, NoiseIsReportedByProblemAndVariant) {
  fill();
  const Json noise = db_json({"trials", "--noise"}).at("noise");
  ASSERT_EQ(noise.size(), 2U) << "f32 and u32; what failed has no noise";
  EXPECT_EQ(noise[1].at("variant"), "warp");
  EXPECT_EQ(noise[1].at("trials"), 3);
  EXPECT_EQ(noise[1].at("samples"), 3);
  EXPECT_EQ(noise[1].at("relative_mad"), 0);
  EXPECT_EQ(noise[1].at("precise"), 3);
  EXPECT_TRUE(noise[1].at("drift").is_null());
  EXPECT_TRUE(noise[1].at("clock").at("lowest_mhz").is_null());
  EXPECT_NE(db({"trials", "--noise", "--key", "u32"}).out.find("0.00 %"), std::string::npos);
  EXPECT_NE(db({"trials", "--noise", "--key", "u8"}).out.find("No verified trials"), std::string::npos);
}

TEST_F(Command, ShowsTrialsAndDevices) {
  fill();
  const Json trial = db_json({"show", "2"});
  EXPECT_EQ(trial.at("samples_us").size(), 3U);
  EXPECT_EQ(trial.at("software").at("driver"), "580.95 (CUDA 13.0)");
  const CommandResult text = db({"show", "5"});
  EXPECT_NE(text.out.find("second line"), std::string::npos) << "the whole message";
  EXPECT_NE(text.out.find("compile_failed"), std::string::npos);
  const Json device = db_json({"show", "GPU 9000"});
  EXPECT_EQ(device.at("trials"), 5);
  EXPECT_NE(db({"show", "GPU-1234"}).out.find("sm_90"), std::string::npos);
  EXPECT_EQ(db({"show", "77"}).code, 1);
  const CommandResult unknown = db({"show", "H9000"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("Test GPU 9000"), std::string::npos) << "lists those there are: " << unknown.err;
}

TEST_F(Command, ChecksAndPrunes) {
  fill();
  EXPECT_EQ(db_json({"check"}).at("sound"), true);
  EXPECT_EQ(db({"prune"}).code, 2);
  EXPECT_EQ(db_json({"prune", "--key", "f32", "--dry-run"}).at("trials"), 2);
  EXPECT_EQ(db_json({"trials"}).at("trials").size(), 5U);
  EXPECT_NE(db({"prune", "--key", "f32"}).err.find("give --yes"), std::string::npos);
  EXPECT_EQ(db({"prune", "--status", "ok"}).code, 2);
  EXPECT_EQ(db_json({"trials"}).at("trials").size(), 5U) << "nothing went";
  EXPECT_EQ(db_json({"prune", "--key", "f32", "--yes"}).at("trials"), 2);
  EXPECT_EQ(db_json({"trials"}).at("trials").size(), 3U);
}

TEST_F(Command, ShipsTheBest) {
  fill();
  const std::string shipped = folder_.file("shipped.db");
  EXPECT_EQ(db_json({"ship", shipped}).at("problems"), 2);
  EXPECT_EQ(run("db trials --json --db " + shipped).code, 0);
  EXPECT_EQ(db({"ship", shipped}).code, 1);
}

TEST_F(Command, ListsWhichVariantsCanDoAProblem) {
  EXPECT_EQ(run("tune --device emulated --operation sort,argsort --keys u8 --sizes 100 "
                "--variants radix,radix_pairs --list")
                .out,
            "radix sort u8 ascending n=100\n"
            "radix_pairs argsort u8 ascending n=100 index_bytes=4 stable=true\n");
}

TEST_F(Command, KeyTypesAreListedOnce) {
  EXPECT_EQ(parse_key_types({"u32", "f32", "u32"}), (std::vector<KeyType>{KeyType::u32, KeyType::f32}));
  EXPECT_EQ(parse_key_types({"u8", "all"}).size(), 12U);
  EXPECT_THROW(static_cast<void>(parse_key_types({"u7"})), Error);
}

}  // namespace
}  // namespace bitune::cli
