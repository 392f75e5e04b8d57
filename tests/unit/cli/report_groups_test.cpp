// Which problems stand on one chart, and where another contender becomes the fastest.

#include <gtest/gtest.h>

#include "cli/report/comparison.hpp"
#include "cli/report/groups.hpp"

#include <nlohmann/json.hpp>

namespace bitune::cli {
namespace {

Problem problem(std::uint64_t n, std::uint64_t rows = 1, KeyType key = KeyType::u32) {
  Problem one;
  one.key = key;
  one.n = n;
  one.rows = rows;
  return one;
}

TEST(Groups, PutSingleArraysOfAKeyTypeTogetherAndFirst) {
  const std::vector<Problem> problems = {problem(128, 64), problem(4096), problem(1024),
                                         problem(1024, 1, KeyType::f32)};
  const auto groups = grouped(problems);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].title, "u32, ascending, single arrays");
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(groups[1].title, "f32, ascending, single arrays");
  EXPECT_EQ(groups[2].title, "u32, ascending, 64 rows");
}

TEST(Groups, PutRowsOfAsManyKeysInAllTogether) {
  const std::vector<Problem> problems = {problem(16, 4096), problem(100, 655), problem(1024, 64),
                                         problem(64, 8), problem(128, 8)};
  const auto groups = grouped(problems);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].title, "u32, ascending, rows, 2^16 keys in all");
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(groups[1].title, "u32, ascending, 8 rows");
}

TEST(Crossovers, AreInterpolatedOnLogarithmicScales) {
  // The times of `a` double from n to 4n, those of `b` stay: they meet halfway in log n.
  const TimesOverN lines[] = {{"a", {{1024, 10, 10, 10}, {4096, 40, 40, 40}}},
                              {"b", {{1024, 20, 20, 20}, {4096, 20, 20, 20}}}};
  const auto found = crossovers(lines);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from, "a");
  EXPECT_EQ(found[0].to, "b");
  EXPECT_TRUE(found[0].interpolated);
  EXPECT_NEAR(found[0].n, 2048, 1e-6);
}

TEST(Crossovers, AreHalfwayWhereOneSideWasNotMeasured) {
  const TimesOverN lines[] = {{"a", {{1024, 10, 10, 10}}}, {"b", {{1024, 20, 20, 20}, {4096, 20, 20, 20}}}};
  const auto found = crossovers(lines);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].interpolated);
  EXPECT_NEAR(found[0].n, 2048, 1e-6);
}

TEST(Crossovers, AreNotMadeByTies) {
  const TimesOverN lines[] = {
      {"a", {{1, 10, 9.9, 10.1}, {2, 20.1, 19.9, 20.3}, {4, 40, 39, 41}, {8, 90, 89, 91}}},
      {"b", {{1, 11, 10.9, 11.1}, {2, 20, 19.8, 20.2}, {4, 41, 40, 42}, {8, 80, 79, 81}}}};
  const auto found = crossovers(lines);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found[0].n, 4);
  EXPECT_LT(found[0].n, 8);
}

TEST(Crossovers, DoNotFailOnNothingOrOnLengthZero) {
  EXPECT_TRUE(crossovers({}).empty());
  const TimesOverN lines[] = {{"a", {{0, 1, 1, 1}, {4, 9, 9, 9}}}, {"b", {{0, 2, 2, 2}, {4, 3, 3, 3}}}};
  ASSERT_EQ(crossovers(lines).size(), 1U);
}

BenchRecord record(std::uint64_t n, double ours, double theirs) {
  BenchRecord one;
  one.peer = "cub";
  one.device = "NVIDIA H200";
  one.problem.n = n;
  one.bitune_us = ours;
  one.peer_us = theirs;
  one.peer_method = "radix";
  one.methods_us = {{"radix", theirs}, {"merge", 2 * theirs}};
  one.verified = true;
  return one;
}

/// These problems, all tuned on random keys with a warm L2.
std::vector<TunedProblem> tuned(const std::vector<Problem>& problems) {
  std::vector<TunedProblem> all;
  for (const Problem& one : problems) all.push_back({one, "warp(a=1)", "kernels", "random", false});
  return all;
}

TEST(Comparison, TakesVerifiedRecordsOfThisDeviceAndKind) {
  std::vector<BenchRecord> records = {record(4096, 20, 30), record(1024, 10, 30), record(2048, 1, 1),
                                      record(512, 1, 1),    record(256, 1, 1),    record(128, 1, 1)};
  records[2].verified = false;
  records[3].device = "another";
  records[4].problem.key = KeyType::f64;
  records[5].suite = "rows";
  const auto found = records_about(records, "NVIDIA H200", tuned({problem(1024)}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].problem.n, 1024U);
  EXPECT_EQ(found[1].problem.n, 4096U);
  EXPECT_TRUE(records_about(records, "NVIDIA H200", tuned({problem(1024, 8)})).empty());
}

TEST(Comparison, TakesOnlyKeysOfTheDistributionThatWasTuned) {
  std::vector<BenchRecord> records = {record(1024, 10, 99), record(1024, 10, 30), record(2048, 20, 90)};
  records[0].distribution = "all_equal";
  records[2].distribution = "few_distinct";
  auto problems = tuned({problem(1024)});
  auto found = records_about(records, "NVIDIA H200", problems);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].distribution, "random");
  problems[0].distribution = "all_equal";
  found = records_about(records, "NVIDIA H200", problems);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(*found[0].peer_us, 99);
  problems[0].cold_l2 = true;
  EXPECT_TRUE(records_about(records, "NVIDIA H200", problems).empty()) << "records have a warm L2";
}

TEST(Comparison, LeavesOutTimesOfSomethingElse) {
  std::vector<BenchRecord> records = {record(1024, 10, 30), record(1024, 10, 30)};
  records[0].suite = "start";
  records[1].gpus = 8;
  EXPECT_TRUE(records_about(records, "NVIDIA H200", tuned({problem(1024)})).empty());
}

TEST(Comparison, TakesTheNewestRunAndNothingOlderBesideIt) {
  std::vector<BenchRecord> records = {record(1024, 10, 30), record(1024, 10, 31), record(4096, 10, 50),
                                      record(8192, 10, 70)};
  for (const std::size_t i : {1, 2}) records[i].date = "2026-11-21";
  records[2].peer_version = "2.8";
  const auto found = records_about(records, "NVIDIA H200", tuned({problem(1024)}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(*found[0].peer_us, 31);
  EXPECT_EQ(found[1].problem.n, 8192U);
}

TEST(Comparison, SaysWhetherARecordIsOfTheBest) {
  std::vector<BenchRecord> records = {record(1024, 10, 20), record(2048, 10, 20), record(4096, 10, 20)};
  records[0].configuration = records[2].configuration = "warp(a=1)";
  records[1].configuration = "warp(a=2)";
  records[2].kernel = "other kernels";
  const Json json = comparison_json(records, tuned({problem(1024), problem(2048), problem(4096)}));
  EXPECT_EQ(json["records"][0]["of_best"], true);
  EXPECT_EQ(json["records"][1]["of_best"], false);
  EXPECT_EQ(json["records"][2]["of_best"], false);
}

TEST(Comparison, SaysWhereThePeerOvertakes) {
  const Json json = comparison_json({record(1024, 10, 20), record(4096, 40, 20)}, tuned({problem(1024)}));
  EXPECT_EQ(json["methods"], Json::array({"radix"}));
  ASSERT_EQ(json["crossovers"].size(), 1U);
  EXPECT_EQ(json["crossovers"][0]["from"], "bitune");
  EXPECT_EQ(json["crossovers"][0]["to"], "cub");
  EXPECT_NEAR(json["crossovers"][0]["n"].get<double>(), 2048, 1);
  EXPECT_TRUE(comparison_json({}, {}).is_null());
}

}  // namespace
}  // namespace bitune::cli
