// `bitune sort --devices`: one array over several devices, here the emulated one twice.

#include <string>

#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace sort_over_devices {
namespace {

TEST_F(CommandTest, SortsOneArrayOverSeveralDevices) {
  folder_.write("keys.txt", "5 3 9\n1 7\n");
  folder_.write("values.bin", "abcde");
  const std::string line =
      "sort keys.txt --rows 1 --type u32 --devices emulated,emulated --verify -o sorted.txt ";
  const Json report = document(line + "--values values.bin --values-out values.out");
  EXPECT_EQ(folder_.read("sorted.txt"), "1\n3\n5\n7\n9\n");
  EXPECT_EQ(folder_.read("values.out"), "dbaec");
  ASSERT_EQ(report["ranks"].size(), 2U);
  EXPECT_EQ(report["ranks"][0]["count"], 3);
  EXPECT_EQ(report["ranks"][1]["first"], 3);
  EXPECT_EQ(report["verified"], true);

  const CommandResult said = run(line + "--descending");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(folder_.read("sorted.txt"), "9\n7\n5\n3\n1\n");
  EXPECT_NE(said.err.find("2, an equal one for each device"), std::string::npos) << said.err;
}

TEST_F(CommandTest, RefusesMoreThanOneArrayOverSeveralDevices) {
  folder_.write("lines.csv", "1,2\n3,4\n");
  const std::string line = "sort lines.csv -o x --devices emulated,emulated ";
  expect_refusal(line + "--rows 2", bad_usage, "give --rows 1");
  expect_refusal(line + "--offsets o.npy", bad_usage, "one array of keys");
  expect_refusal(line + "--rows 1 --device-memory 1G", bad_usage, "without --device");
}

}  // namespace
}  // namespace sort_over_devices
}  // namespace bitune::cli
