// What `db show` says of samples, and how much it claims.

#include <gtest/gtest.h>

#include "cache/tuning_database.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

class ShowCommand : public CommandTest {
 protected:
  /// Stores a trial of these samples in "few.db"; returns its id.
  static std::int64_t store(std::vector<double> samples) {
    TuningDatabase database("few.db", DatabaseMode::read_write);
    Trial trial;
    trial.problem.n = 1024;
    trial.configuration = Configuration::parse("warp(block_size_x=32)");
    trial.samples_us = std::move(samples);
    return database.store(database.begin_session(test::h200(), {"GPU-1", "580.95", "nvrtc 13.0"}, {}), trial);
  }

 private:
  ScopedVariable database_{"BITUNE_DB", "few.db"};
};

TEST_F(ShowCommand, AnIntervalHasItsTrueCoverage) {
  const std::string three = text("db show " + std::to_string(store({3, 1, 2})));
  EXPECT_NE(three.find("interval (75 %)"), std::string::npos) << three;
  const std::string id = std::to_string(store({7, 3, 1, 5, 2, 6, 4}));
  const std::string seven = text("db show " + id);
  EXPECT_NE(seven.find("interval (88 %)"), std::string::npos) << seven;
  EXPECT_NE(seven.find("2.0 us to 6.0 us"), std::string::npos) << seven;
  EXPECT_NEAR(document("db show " + id).at("statistics").at("coverage").get<double>(), 0.875, 1e-9);
}

TEST_F(ShowCommand, OneSampleHasNoInterval) {
  const std::string one = text("db show " + std::to_string(store({5})));
  EXPECT_EQ(one.find("interval"), std::string::npos) << one;
  EXPECT_NE(one.find("median"), std::string::npos) << one;
}

TEST_F(ShowCommand, OneIsSingular) {
  static_cast<void>(store({5}));
  EXPECT_NE(text("db check").find("is sound: 1 device, 1 trial."), std::string::npos);
  EXPECT_EQ(text("db prune --status ok --dry-run"), "1 trial would be deleted.\n");
}

}  // namespace
}  // namespace bitune::cli
