// The document of a report, and the page that holds it.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cache/tuning_database.hpp"
#include "cli/command.hpp"
#include "cli/report/page.hpp"
#include "cli/report/report_model.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {
namespace {

constexpr const char* hostile = "</script><script>alert(1)</script><!-- \" ' & \xff";

Trial trial(std::uint64_t n, const std::string& configuration, double us) {
  Trial trial;
  trial.problem.n = n;
  trial.configuration = Configuration::parse(configuration);
  trial.kernel_digest = "0123";
  trial.samples_us = {us, us * 1.01, us * 0.99};
  trial.timestamp = "2026-11-21 12:00:00.000";
  return trial;
}

std::string make_database(const Folder& folder, const std::string& device_name) {
  DeviceInfo device;
  device.name = device_name;
  device.compute_major = 9;
  device.sm_count = 132;
  TuningDatabase database(folder.file("tuning.db"), DatabaseMode::read_write);
  const auto session = database.begin_session(device, {"GPU-1234", "580.95 (CUDA 13.0)", "nvrtc 13.0"}, {});
  for (const std::uint64_t n : {1024U, 4096U}) {
    database.store(session, trial(n, "warp(block_size_x=64,items_per_thread=4)", 10));
    database.store(session, trial(n, "warp(block_size_x=128,items_per_thread=8)", n == 1024 ? 5 : 40));
    database.store(session, trial(n, "shared(block_size_x=64)", 20));
    Trial broken = trial(n, "shared(block_size_x=128)", 1);
    broken.status = TrialStatus::compile_failed;
    broken.message = hostile;
    broken.samples_us.clear();
    database.store(session, broken);
  }
  return folder.file("tuning.db");
}

Json model_of(const std::string& path, const ReportRequest& request) {
  return report_model(TuningDatabase(path, DatabaseMode::read_only), request);
}

TEST(ReportModel, HasAllThatTheDatabaseKnowsOfAProblem) {
  const Folder folder;
  std::size_t told = 0;
  const TuningDatabase database(make_database(folder, "Test GPU"), DatabaseMode::read_only);
  const Json model = report_model(database, {{}, {}, "now"}, [&told](std::size_t done, std::size_t count) {
    EXPECT_EQ(done, told++);
    EXPECT_EQ(count, 2U);
  });
  EXPECT_EQ(told, 2U);
  EXPECT_EQ(model["database"], "tuning.db");
  EXPECT_EQ(model["devices"].size(), 1U);
  const Json& device = model["devices"][0];
  EXPECT_EQ(device["name"], "Test GPU");
  ASSERT_EQ(device["groups"].size(), 1U);
  const Json& group = device["groups"][0];
  EXPECT_TRUE(group["bench"].is_null());
  EXPECT_TRUE(group["crossovers"].empty());
  ASSERT_EQ(group["problems"].size(), 2U);

  const Json& problem = group["problems"][0];
  EXPECT_EQ(problem["n"], 1024);
  EXPECT_EQ(problem["trials"], 4);
  EXPECT_EQ(problem["valid"], 3);
  EXPECT_EQ(problem["best"]["us"], 5);
  EXPECT_LE(problem["best"]["low"], 5);
  EXPECT_GE(problem["best"]["high"], 5);
  EXPECT_EQ(problem["best"]["parameters"]["block_size_x"], 128);
  EXPECT_EQ(problem["best"]["samples"].size(), 3U);
  EXPECT_EQ(problem["leaders"].size(), 3U);
  EXPECT_TRUE(problem["leaders"][0]["tie"]);
  EXPECT_EQ(problem["leaders"][0]["variant"], "warp");
  EXPECT_EQ(problem["leaders"][0]["values"], Json::array({128, 8}));
  EXPECT_FALSE(problem["leaders"][1]["tie"]);
  EXPECT_EQ(problem["distribution"]["within"].back()[1], 2);  // 5 and 10 are within twice the best
  EXPECT_EQ(problem["convergence"]["evaluations"], 4);
  EXPECT_EQ(problem["convergence"]["improvements"], (Json{{1, 10.0, 1}, {2, 5.0, 1}}));
  ASSERT_EQ(problem["failures"].size(), 1U);
  EXPECT_EQ(problem["failures"][0]["status"], "compile_failed");
  ASSERT_EQ(problem["variants"].size(), 2U);
  const Json& warp = problem["variants"][1];
  EXPECT_EQ(warp["name"], "warp");
  EXPECT_EQ(warp["us"], 5);
  EXPECT_EQ(warp["varied"]["items_per_thread"], Json::array({4, 8}));
  EXPECT_EQ(warp["winners"][0], Json::array({2, 5.0, 1, 1}));
  EXPECT_EQ(model["descriptions"]["warp"]["parameters"]["block_size_x"], "threads a block");
}

TEST(ReportModel, BestIsTheDatabasesBest) {
  const Folder folder;
  const TuningDatabase database(make_database(folder, "Test GPU"), DatabaseMode::read_only);
  const Json model = report_model(database, {});
  for (const ProblemSummary& summary : database.summaries({})) {
    for (const Json& problem : model["devices"][0]["groups"][0]["problems"]) {
      if (problem["n"] == summary.problem.n) {
        EXPECT_EQ(problem["best"]["trial"], summary.best->id);
      }
    }
  }
}

TEST(ReportModel, TakesOnlyWhatTheFilterAdmits) {
  const Folder folder;
  TrialFilter filter;
  filter.n = 4096;
  const std::string path = make_database(folder, "Test GPU");
  const Json model = model_of(path, {filter, {}, ""});
  EXPECT_EQ(model["devices"][0]["groups"][0]["problems"].size(), 1U);
  filter.n = 5;
  EXPECT_TRUE(model_of(path, {filter, {}, ""})["devices"].empty());
}

// What a browser makes of the data: base64, then zlib.
Json read_back(const std::string& data) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : data.substr(0, data.find('='))) {
    bits = bits << 6U | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
    }
  }
  std::string text(1 << 20, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  return Json::parse(text.substr(0, size));
}

TEST(ReportPage, NoTextOfTheDatabaseCanBeTakenForMarkup) {
  const Folder folder;
  const Json model = model_of(make_database(folder, std::string("GPU ") + hostile), {});
  const std::string data = embedded(model);
  EXPECT_TRUE(std::all_of(data.begin(), data.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
  }));
  EXPECT_EQ(data.size() % 4, 0U);
  const Json back = read_back(data);
  EXPECT_EQ(back["devices"][0]["name"], "GPU </script><script>alert(1)</script><!-- \" ' & \uFFFD");
  EXPECT_EQ(back["devices"][0]["groups"][0]["problems"][0]["variants"],
            model["devices"][0]["groups"][0]["problems"][0]["variants"]);
  for (const char* text : {"", "1", "12", "123"}) {
    EXPECT_EQ(read_back(embedded(Json(text))), Json(text));
  }
  const std::string page = page_of(model);
  EXPECT_NE(page.find(data), std::string::npos);
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
}

TEST(ReportPage, IsWholeAndNamesTheLibrarysLicence) {
  const std::string page = page_of(Json::object());
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("under the MIT License"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* mark : {"@DATA@", "@STYLE@", "@LIBRARY@", "@LIBRARY_VERSION@", "@SCRIPTS@", "@NOTICE@"}) {
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
  }
  EXPECT_LT(page.size(), 300'000U);
}

TEST(ReportCommand, WritesThePageOrNothing) {
  const Folder folder;
  const std::string path = make_database(folder, "Test GPU");
  const std::string page = folder.file("out.html");
  const auto run = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"bitune", "db", "report"});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_command(static_cast<int>(arguments.size()), arguments.data());
    return std::pair(code, testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr());
  };
  const auto [refused, sentence] = run({page.c_str(), "--db", path.c_str(), "--n", "7"});
  EXPECT_EQ(refused, failed);
  EXPECT_NE(sentence.find("no trials in"), std::string::npos) << sentence;
  EXPECT_FALSE(std::filesystem::exists(page));

  const auto [code, text] = run({page.c_str(), "--db", path.c_str(), "--json"});
  EXPECT_EQ(code, done);
  EXPECT_EQ(Json::parse(text)["problems"], 2);
  EXPECT_EQ(Json::parse(text)["bytes"], std::filesystem::file_size(page));

  const std::string missing = folder.file("none.json");
  EXPECT_EQ(run({page.c_str(), "--db", path.c_str(), "--bench", missing.c_str()}).first, failed);
  EXPECT_EQ(run({"--db", path.c_str()}).first, bad_usage);
}

}  // namespace
}  // namespace bitune::cli
