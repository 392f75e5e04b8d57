#include "measure/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"

namespace bitune {
namespace {

Trial a_trial() {
  Trial trial;
  trial.problem = {{.key = KeyType::bf16, .order = Order::descending},
                   {.n = std::uint64_t{1} << 40, .rows = 3}};
  trial.configuration = {"warp", {{"block_size_x", 256}, {"items_per_thread", 16}}};
  trial.kernel_digest = "abc";
  trial.status = TrialStatus::wrong_result;
  trial.message = "line one\nline \"two\"";
  trial.samples_us = {3.25, 1.0 / 3, 1e9};
  trial.clock = {1200, 1980, sw_thermal};
  trial.remeasured = 1;
  trial.compile_ms = 1;
  trial.verify_ms = 2;
  trial.measure_ms = 3;
  trial.registers = 32;
  trial.local_bytes = 8;
  trial.shared_bytes = std::int64_t{227} << 10;
  trial.launches = 5;
  trial.finalist = true;
  trial.timestamp = "2026-11-21 12:00:00.000";
  return trial;
}

TEST(Json, TrialsSurviveALine) {
  const Trial trial = a_trial();
  const std::string line = line_of(json_of(trial));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Trial read = trial_from(Json::parse(line));
  EXPECT_EQ(read.problem, trial.problem);
  EXPECT_EQ(read.configuration, trial.configuration);
  EXPECT_EQ(read.kernel_digest, trial.kernel_digest);
  EXPECT_EQ(read.status, trial.status);
  EXPECT_EQ(read.message, trial.message);
  EXPECT_EQ(read.samples_us, trial.samples_us);
  EXPECT_EQ(read.clock, trial.clock);
  EXPECT_EQ(read.remeasured, trial.remeasured);
  EXPECT_EQ(read.compile_ms, trial.compile_ms);
  EXPECT_EQ(read.verify_ms, trial.verify_ms);
  EXPECT_EQ(read.measure_ms, trial.measure_ms);
  EXPECT_EQ(read.registers, trial.registers);
  EXPECT_EQ(read.local_bytes, trial.local_bytes);
  EXPECT_EQ(read.shared_bytes, trial.shared_bytes);
  EXPECT_EQ(read.launches, trial.launches);
  EXPECT_EQ(read.finalist, trial.finalist);
  EXPECT_EQ(read.timestamp, trial.timestamp);
}

TEST(Json, IntegersThatAreTooLargeAreRefused) {
  for (const char* text : {"1e30", "18446744073709551616", "-1", "1.5", "true"}) {
    Json json = json_of(a_trial());
    json["problem"]["n"] = Json::parse(text);
    EXPECT_THROW((void)trial_from(json), Error) << text;
  }
  Json json = json_of(a_trial());
  json["registers"] = std::int64_t{1} << 40;
  EXPECT_THROW((void)trial_from(json), Error);
}

TEST(Json, TrialsOfBeforeThereWereClocksAreRead) {
  Json old = json_of(a_trial());
  old.erase("clock");
  old.erase("remeasured");
  const Trial read = trial_from(old);
  EXPECT_FALSE(read.clock.is_known());
  EXPECT_EQ(read.remeasured, 0);
  Json unknown = json_of(Trial{});
  EXPECT_TRUE(unknown["clock"]["lowest_mhz"].is_null());
  EXPECT_FALSE(trial_from(unknown).clock.is_known());
}

TEST(Json, MediansAreNullWithoutSamples) {
  Trial trial = a_trial();
  EXPECT_EQ(json_of(trial).at("median_us").get<double>(), 3.25);
  trial.samples_us.clear();
  EXPECT_TRUE(json_of(trial).at("median_us").is_null());
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  Trial trial = a_trial();
  trial.message = "error: \xff\xfe";
  EXPECT_NO_THROW({ EXPECT_FALSE(trial_from(Json::parse(line_of(json_of(trial)))).message.empty()); });
}

TEST(Json, MissingAndMistypedMembersAreNamed) {
  const auto message_of = [](const Json& json) {
    try {
      (void)trial_from(json);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Json json = json_of(a_trial());
  json.erase("launches");
  EXPECT_NE(message_of(json).find("'launches'"), std::string::npos);
  json = json_of(a_trial());
  json["samples_us"] = "many";
  EXPECT_NE(message_of(json).find("'samples_us'"), std::string::npos);
  EXPECT_NE(message_of(Json::array()).find("'problem'"), std::string::npos);
}

TEST(Json, DevicesCarryTheirDigest) {
  DeviceInfo info;
  info.name = "Test GPU";
  EXPECT_EQ(json_of(info).at("digest").get<std::string>(), info.digest());
  EXPECT_EQ(json_of(DeviceSoftware{"u", "d", "c"}).at("driver").get<std::string>(), "d");
}

}  // namespace
}  // namespace bitune
