// Devices that sort together are tuned, and the database has it under the group.

#include "tuner/tune_merging.hpp"

#include "multi/merge_tunings.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class TuneMerging : public DirectoryTest {};

TEST_F(TuneMerging, StoresVerifiedTrialsOfTheGroup) {
  const auto path = directory / "tuning.db";
  const std::shared_ptr<Device> device = open_device("emulated");
  std::atomic<bool> stop = false;
  const auto outcomes = tune_merging({device, device}, path, stop);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_LE(outcomes[1].median_us, outcomes[1].read_us);
  EXPECT_TRUE(outcomes[1].configuration.starts_with(multi::link_variant)) << outcomes[1].configuration;

  const TuningDatabase tunings(path, DatabaseMode::read_only);
  EXPECT_TRUE(tunings.check().empty());
  const auto best = tunings.best({});
  ASSERT_EQ(best.size(), 2U) << "one for each size";
  EXPECT_EQ(best[0].device_name, "2 x emulated device, itself");
  EXPECT_EQ(best[0].trial.status, TrialStatus::ok);

  const auto other = open_device("emulated");
  EXPECT_TRUE(tune_merging({device, other}, path, stop).empty()) << "they do not read each other's memory";
  stop = true;
  EXPECT_TRUE(tune_merging({device, device}, path, stop).empty());
}

}  // namespace
}  // namespace bitune::test
