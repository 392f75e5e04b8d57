// What the command says of itself.

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

class Help : public CommandTest, public testing::WithParamInterface<const char*> {};

TEST_P(Help, TellsTheUsageAndShowsExamples) {
  const std::string words = GetParam();
  const std::string told = text(words + " --help");
  EXPECT_NE(told.find("Usage: bitune" + (words.empty() ? "" : ' ' + words)), std::string::npos) << told;
  EXPECT_NE(told.find("Examples:"), std::string::npos) << told;
  EXPECT_EQ(told.find("\n  worker"), std::string::npos) << "the worker is nobody's business";
  EXPECT_EQ(told.find("start-process"), std::string::npos) << "nor is the process that `bench start` starts";
}

INSTANTIATE_TEST_SUITE_P(Commands, Help,
                         testing::Values("", "devices", "tune", "sort", "argsort", "topk", "db", "db list",
                                         "db best", "db show", "db trials", "db check", "db prune", "db ship",
                                         "db export", "db import", "db merge", "db report", "bench",
                                         "bench presets", "bench start"));

TEST_F(CommandTest, HelpNamesWhatIsPeculiar) {
  EXPECT_NE(text("bench start --help").find("bitune bench start --device emulated"), std::string::npos);
  EXPECT_NE(text("bench --help").find("--graph"), std::string::npos);
  EXPECT_NE(text("bench --help").find("start"), std::string::npos);
}

TEST_F(CommandTest, VersionIsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(text("--version"), std::regex("bitune [0-9]+\\.[0-9]+\\.[0-9]+\n")));
}

TEST_F(CommandTest, TheEmulatedDeviceIsTheLastOfTheDevices) {
  EXPECT_NE(text("devices").find("emulated"), std::string::npos);
  const auto told = document("devices");
  EXPECT_EQ(told.at("devices").back().at("selector"), "emulated");
  EXPECT_TRUE(told.contains("nvrtc"));
}

TEST_F(CommandTest, PresetsSayWhereTheyComeFrom) {
  const std::string told = text("bench presets --list");
  for (const char* part : {"v0-mirror: ", "At most 8192 keys", "McCarville", "classic(block_size_x=1024",
                           "global(block_fusion=0"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
  }
}

}  // namespace
}  // namespace bitune::cli
