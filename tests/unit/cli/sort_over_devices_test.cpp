// `bitune sort`, `argsort` and `topk` with `--devices`: one array over several devices, here the emulated one
// twice.

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

TEST_F(CommandTest, FindsIndicesAndFirstKeysOverSeveralDevices) {
  folder_.write("keys.txt", "5 3 9\n3 7\n");
  const std::string common = "keys.txt --rows 1 --type u32 --devices emulated,emulated,emulated --verify ";
  EXPECT_EQ(document("argsort -o order.txt " + common)["verified"], true);
  EXPECT_EQ(folder_.read("order.txt"), "1\n3\n0\n4\n2\n");
  const Json report = document("topk -k 3 -o first.txt --indices where.txt " + common);
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(folder_.read("first.txt"), "3\n3\n5\n");
  EXPECT_EQ(folder_.read("where.txt"), "1\n3\n0\n");
  EXPECT_EQ(run("topk -k 1 --largest -o first.txt " + common).code, 0);
  EXPECT_EQ(folder_.read("first.txt"), "9\n");
  expect_refusal("argsort -o order.txt --index u32 " + common, bad_usage, "have 8 bytes, not 4");
}

TEST_F(CommandTest, RefusesMoreThanOneArrayOverSeveralDevices) {
  folder_.write("lines.csv", "1,2\n3,4\n");
  const std::string line = " lines.csv -o x --devices emulated,emulated ";
  expect_refusal("sort" + line + "--rows 2", bad_usage, "give --rows 1");
  expect_refusal("argsort" + line + "--rows 2", bad_usage, "they sort one array");
  for (const char* option : {"--offsets o.npy", "--key a", "--device 0", "--rows 1 --device-memory 1G"}) {
    expect_refusal("sort" + line + option, bad_usage, "--devices");
  }
}

}  // namespace
}  // namespace sort_over_devices
}  // namespace bitune::cli
