// Devices that sort together are tuned, and a MultiSorter finds it in the database.

#include "cli/tune_merging.hpp"

#include <gtest/gtest.h>

#include "bitune/multi.hpp"
#include "cache/tuning_database.hpp"
#include "multi/merge_tunings.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::test {
namespace {

TEST(TuneMerging, StoresVerifiedTrialsOfTheGroup) {
  const cli::Folder folder;
  const std::filesystem::path path = folder.file("tuning.db");
  const std::shared_ptr<Device> device = open_device("emulated");
  const std::atomic<bool> stop = false;
  const auto outcomes = cli::tune_merging({"emulated", "emulated"}, {device, device}, path, stop);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_LE(outcomes[1].median_us, outcomes[1].read_us);
  EXPECT_TRUE(outcomes[1].configuration.starts_with(multi::merge_variant)) << outcomes[1].configuration;

  const TuningDatabase tunings(path, DatabaseMode::read_only);
  EXPECT_TRUE(tunings.check().empty());
  const auto best = tunings.best({});
  ASSERT_EQ(best.size(), 2U) << "one for each size";
  EXPECT_EQ(best[0].device_name, "2 x emulated device, itself");
  EXPECT_EQ(best[0].trial.status, TrialStatus::ok);
  // What several emulated devices have, each with memory of its own, is not read.
  EXPECT_TRUE(
      cli::tune_merging({"emulated", "emulated"}, {device, open_device("emulated")}, path, stop).empty());
}

}  // namespace
}  // namespace bitune::test
