// The tunings that the repository ships are of today's kernels, and can be selected.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/records.hpp"
#include "cache/tuning_database.hpp"
#include "model/configuration.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"
#include "runtime/selection_ladder.hpp"
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

/// Records of bench/results/<gpu>/ that were measured with today's kernels.
std::vector<BenchRecord> recorded_results() {
  std::vector<BenchRecord> records;
  const std::filesystem::path results = BITUNE_TEST_DATA "/../../bench/results";
  for (const auto& folder : std::filesystem::directory_iterator(results)) {
    for (const char* name : {"single.json", "rows.json", "pairs.json"}) {
      std::ifstream file(folder.path() / name);
      if (!file) continue;
      std::ostringstream text;
      text << file.rdbuf();
      for (BenchRecord& record : parse_bench_records(text.str(), name)) {
        const std::string variant = Configuration::parse(record.configuration).variant;
        if (record.kernel == kernel_sources_digest(variant)) records.push_back(std::move(record));
      }
    }
  }
  return records;
}

TEST(ShippedTunings, SelectWhatTheRecordedResultsWereMeasuredWith) {
  const TuningDatabase database(BITUNE_TEST_DATA "/../../data/tunings.db", DatabaseMode::read_only);
  std::map<std::string, DeviceInfo> devices;
  for (const DeviceRow& row : database.devices()) devices.emplace(row.info.name, row.info);
  const std::vector<BenchRecord> records = recorded_results();
  ASSERT_GE(records.size(), 99u);
  for (const BenchRecord& record : records) {
    const Selection selection =
        select(record.problem, devices.at(record.device), {{}, database.candidates(record.problem)});
    EXPECT_EQ(selection.configuration.text(), record.configuration)
        << text_of(record.problem) << ": leave the record out, or measure it again";
  }
}

}  // namespace
}  // namespace bitune
