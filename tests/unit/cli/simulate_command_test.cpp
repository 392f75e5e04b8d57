// `bitune tune --simulate` replays what is on record, and stores nothing.

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

const std::string recorded = BITUNE_TEST_DATA "/recorded/nvidia-h200/";

class SimulateCommand : public CommandTest {};

TEST_F(SimulateCommand, EachSeedIsARunOfItsOwn) {
  const Json told =
      document("tune --simulate " + recorded + "warp_u32_1024.json.gz," + recorded +
               "shared_u32_1024.json.gz --strategy greedy --seed 3 --seeds 2 --budget 1000s,30evals");
  EXPECT_EQ(told.at("simulated"), true);
  ASSERT_EQ(told.at("spaces").size(), 1U);
  const Json& space = told.at("spaces")[0];
  EXPECT_EQ(space.at("problem").at("n"), 1024);
  EXPECT_EQ(space.at("configurations"), 563);
  EXPECT_EQ(space.at("strategy"), "greedy");
  ASSERT_EQ(space.at("runs").size(), 2U);
  const Json& first = space.at("runs")[0];
  const Json& second = space.at("runs")[1];
  EXPECT_EQ(first.at("evaluated"), 30);
  EXPECT_EQ(second.at("evaluated"), 30);
  EXPECT_EQ(first.at("best").at("configuration").get<std::string>().rfind("warp(", 0), 0U);
  EXPECT_NE(first, second);
  EXPECT_GT(first.at("virtual_seconds"), 1);
  EXPECT_GE(first.at("best").at("median_us"), space.at("recorded_best_us"));
  EXPECT_TRUE(contents().empty()) << "a simulation stores nothing";
}

TEST_F(SimulateCommand, AllStrategiesAreRowsOfATable) {
  const std::string told =
      text("tune --simulate " + recorded + "warp_u32_1024.json.gz --strategy all --budget none");
  for (const char* part : {"bayesian", "exhaustive", "halving", "nothing is stored"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
  }
  EXPECT_TRUE(contents().empty()) << "a simulation stores nothing";
}

}  // namespace
}  // namespace bitune::cli
