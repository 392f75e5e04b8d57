// The tunings that the repository ships are of today's kernels, and can be selected.

#include <gtest/gtest.h>

#include <map>

#include "cache/tuning_database.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

TEST(ShippedTunings, AreValidConfigurationsOfTodaysKernels) {
  const TuningDatabase database(BITUNE_TEST_DATA "/../../data/tunings.db", DatabaseMode::read_only);
  EXPECT_TRUE(database.check().empty());
  std::map<std::string, DeviceInfo> devices;
  for (const DeviceRow& row : database.devices()) devices.emplace(row.info.digest(), row.info);
  const auto rows = database.trials({});
  ASSERT_FALSE(rows.empty());
  for (const TrialRow& row : rows) {
    const Trial& trial = row.trial;
    const Variant& family = variant(trial.configuration.variant);
    EXPECT_EQ(trial.kernel_digest, kernel_sources_digest(family.name()))
        << trial.configuration.text() << " was measured with other kernels: tune again on that device";
    const auto violation = family.space(trial.problem, devices.at(row.device_digest))
                               .violation(trial.configuration, trial.problem, devices.at(row.device_digest));
    EXPECT_FALSE(violation) << trial.configuration.text() << ": " << violation.value_or("");
  }
}

}  // namespace
}  // namespace bitune
